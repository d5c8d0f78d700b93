/** The manifest of the MCP bundle: what a host asks its person for, and how it starts us. */

/** Every field has a default: a host leaves what was not filled in as it is written, and an empty variable is none. */
const ASKED = {
  config: {
    type: 'directory',
    title: 'Configuration tree',
    description: 'The directory that "postern setup" wrote, where that is not its usual place. Leave empty otherwise.',
    variable: 'POSTERN_CONFIG_DIR',
  },
  host: {
    type: 'string',
    title: 'IMAP server',
    description: 'For one account without "postern setup": its server, such as imap.example.com.',
    variable: 'MAIL_IMAP_DEFAULT_HOST',
  },
  user: {
    type: 'string',
    title: 'User name',
    description: 'For one account without "postern setup": mostly your address.',
    variable: 'MAIL_IMAP_DEFAULT_USER',
  },
  password: {
    type: 'string',
    title: 'Password',
    description: 'For one account without "postern setup": an app password where your provider has them.',
    variable: 'MAIL_IMAP_DEFAULT_PASS',
    sensitive: true,
  },
  write_enabled: {
    type: 'boolean',
    title: 'May change mail',
    description: 'Whether the account above may be changed: marked, moved, deleted, drafts written.',
    variable: 'MAIL_IMAP_WRITE_ENABLED',
    default: false,
  },
}

export function manifestFor({ name, version, description, keywords, license, engines }) {
  const fields = Object.entries(ASKED)
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Postern',
    version,
    description,
    long_description:
      'Reads, searches and drafts mail for agents behind a policy, and sends only what a person approved. ' +
      'Run "postern setup" for several accounts and for what each agent may do; or fill in one account here.',
    author: { name: 'The Postern authors' },
    server: {
      type: 'node',
      entry_point: 'bin/postern.mjs',
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/bin/postern.mjs`],
        env: Object.fromEntries(fields.map(([key, { variable }]) => [variable, `\${user_config.${key}}`])),
      },
    },
    tools_generated: true,
    keywords,
    license,
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
    user_config: Object.fromEntries(
      fields.map(([key, { variable: _, ...field }]) => [key, { required: false, default: '', ...field }]),
    ),
  }
}
