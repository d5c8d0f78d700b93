/** Trees that must not load: one change to a good one, and what has to be said about it, where. */
import type { SMALL } from './trees.ts'

export interface BadTree {
  readonly what: string
  readonly file: keyof typeof SMALL
  /** Replaced in the file. */
  readonly written: string | RegExp
  readonly by: string
  readonly line: number
  readonly message: RegExp
  /** `parse_error` where it is no YAML that we read. */
  readonly unparsed?: true
}

type Row = readonly [what: string, written: string | RegExp, by: string, line: number, message: RegExp, unparsed?: true]

const WHOLE = /^[\s\S]*$/

function of(file: keyof typeof SMALL, rows: readonly Row[]): BadTree[] {
  return rows.map(([what, written, by, line, message, unparsed]) => ({
    what,
    file,
    written,
    by,
    line,
    message,
    ...(unparsed && { unparsed }),
  }))
}

/** Replaces everything from the folder's `mode` on. */
const FOLDER = `mode: whitelist
      default: NONE
      rules:
        - match: { from_domain: example.com }
          grant: FULL
`
const RULE = `{ from_domain: example.com }
          grant: FULL`

const bomb = `a: &a [x, x, x, x, x, x, x, x, x]
${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]}, `.repeat(9)}x]`).join('\n')}
accounts: *i
`

const blacklist = (base: string, ...rules: string[]): string =>
  ['mode: blacklist', `      default: ${base}`, '      rules:', ...rules.map((rule) => `        - ${rule}`), ''].join(
    '\n',
  )

const whitelist = (...rules: string[]): string =>
  ['mode: whitelist', '      default: NONE', '      rules:', ...rules.map((rule) => `        - ${rule}`), ''].join('\n')

export const BAD_TREES: readonly BadTree[] = [
  ...of('accounts.yaml', [
    ['a misspelt key', 'host:', 'hst:', 3, /unknown key "hst" in an account; write host instead/],
    ['a key of another spelling', 'secret_ref:', 'secretRef:', 7, /unknown key "secretRef" in auth; write secret_ref/],
    ['an unknown key', 'port: 993', 'colour: red', 4, /unknown key "colour" .*; write one of id, provider/],
    [
      'an unknown key at the top',
      'secret_store:',
      'secret_stores:',
      8,
      /"secret_stores" in accounts\.yaml; write secret_store/,
    ],
    [
      'a password in the file',
      'secret_ref: secret://accounts/work/password',
      'password: hunter2',
      7,
      /unknown key "password".*secret_ref: secret:/,
    ],
    ['a secret as a reference', 'secret://accounts/work/password', 'hunter2', 7, /secret_ref does not name a place/],
    [
      'a reference that climbs',
      'secret://accounts/work/password',
      'secret://accounts/../root',
      7,
      /does not name a place/,
    ],
    ['a reference with a backslash', 'secret://accounts/work/password', 'secret://a\\b', 7, /does not name a place/],
    ['half a character', 'imap.example.com', '"\\ud800"', 3, /host must be one line without control characters/],
    [
      'a reference with an empty level',
      'secret://accounts/work/password',
      'secret://accounts//password',
      7,
      /does not name a place/,
    ],
    ['a port that is text', 'port: 993', 'port: "993"', 4, /port must be a whole number between 1 and 65535/],
    ['a port out of range', 'port: 993', 'port: 99999', 4, /port must be a whole number/],
    ['a port that is no number at all', 'port: 993', 'port: .nan', 4, /port must be a whole number/],
    [
      'a host with a scheme',
      'imap.example.com',
      'imaps://imap.example.com',
      3,
      /host must be a name or an address alone/,
    ],
    ['a host that is a list', 'imap.example.com', '[a, b]', 3, /host must be text; write one value instead/],
    ['a value that is missing', 'imap.example.com', '', 3, /host must be text; write a value or leave the key out/],
    [
      'an unknown provider',
      'port: 993',
      'provider: gogle',
      4,
      /provider must be one of .* "gogle"; write google instead/,
    ],
    ['an unknown kind of login', 'type: password', 'type: passwd', 6, /"passwd"; write password instead/],
    ['no kind of login', '      type: password\n', '', 6, /type is missing in auth; write type:/],
    ['no login', / {4}auth:[\s\S]*password\n/, '', 2, /auth is missing in an account/],
    ['no id', '- id: work\n    host', '- host', 2, /id is missing in an account/],
    ['an id that is a number', 'id: work', 'id: 42', 2, /id must be text; write the value in quotes/],
    ['an id with a space', 'id: work', 'id: my work', 2, /id cannot be used as it is/],
    [
      'the same account twice',
      'accounts:',
      'accounts:\n  - { id: work, provider: local }',
      3,
      /there is an account "work" already \(accounts\.yaml:2\)/,
    ],
    ['cleartext to a server elsewhere', 'port: 993', 'tls: none', 4, /tls: none .* write tls: starttls instead/],
    ['an unknown TLS', 'port: 993', 'tls: ssl', 4, /tls must be one of implicit, starttls, none; got "ssl"$/],
    [
      'a scope beside a password',
      'type: password',
      'type: password\n      oauth_scope: https://mail.google.com/',
      7,
      /oauth_scope says nothing about a password/,
    ],
    [
      'a local account with a server',
      'port: 993',
      'provider: local',
      3,
      /a local account has no server and takes no host/,
    ],
    [
      'a password for gmail',
      'port: 993',
      'provider: gmail',
      6,
      /a gmail account takes no password; write type: xoauth2/,
    ],
    ['an authority that is not there', 'port: 993', 'ca_file: nowhere.pem', 4, /ca_file: there is no such file/],
    [
      'an authority that is none',
      'port: 993',
      'ca_file: callers.yaml',
      4,
      /ca_file names a file without a PEM certificate/,
    ],
    ['a mirror that is a flag', 'port: 993', 'mirror: true', 4, /mirror must be one of off, headers, full/],
    ['an identity that is no address', 'port: 993', 'identity: me', 4, /identity must be the account's address/],
    ['an SMTP server without a host', 'port: 993', 'smtp: { port: 587 }', 4, /host is missing in smtp/],
    ['an SMTP server in the clear', 'port: 993', 'smtp: { host: smtp.example.com, tls: none }', 4, /tls: none/],
    ['accounts that are no list', /accounts:[\s\S]*password\n/, 'accounts: work\n', 1, /accounts must be a list/],
    ['no accounts', /accounts:[\s\S]*password\n/, 'accounts: []\n', 1, /there is no account/],
    ['an account that is a word', 'accounts:', 'accounts:\n  - work', 2, /an account must be a mapping/],
    ['no store for secrets', /secret_store:[\s\S]*secrets\n/, '', 1, /secret_store is missing/],
    ['an unknown store for secrets', 'file_dir', 'files', 9, /backend must be one of .*keychain; got "files"$/],
    ['a store of files without a path', '  path: secrets\n', '', 9, /path is missing in secret_store/],
    ['a path for variables', 'file_dir', 'env_var', 10, /the backend env_var takes no path/],
    [
      'a database that is not there yet',
      'secret_store:',
      'store: postgres://me:hunter2@db/x\nsecret_store:',
      8,
      /not available yet/,
    ],
    [
      'days that do not add up',
      'secret_store:',
      'audit:\n  hot_days: 10\n  warm_days: 20\n  delete_after_days: 25\nsecret_store:',
      11,
      /write 30 or more instead/,
    ],
    [
      'no connections',
      'secret_store:',
      'limits: { connections: 0 }\nsecret_store:',
      8,
      /connections must be a whole number between 1/,
    ],
    ['a tab', '    port', '\tport', 4, /a tab stands where the line begins; write spaces/, true],
    ['a key twice', 'port: 993', 'host: other.example.com', 4, /this key is on line 3 already/, true],
    ['a tag', 'imap.example.com', '!!js/function "() => 1"', 3, /tags are not read/, true],
    ['a tag that YAML knows', 'imap.example.com', '!!str 1', 3, /tags are not read/, true],
    ['an alias of nothing', 'imap.example.com', '*host', 3, /is an alias, and there is nothing of that name/, true],
    ['an anchor that holds itself', /accounts:[\s\S]*password\n/, 'accounts: &a [*a]\n', 1, /is an alias/, true],
    ['aliases that multiply', WHOLE, bomb, 0, /holds too much once its aliases are written out/, true],
    ['a merge key', 'port: 993', '<<: { port: 993 }', 4, /merge keys are not read/],
    [
      'a quote that is not closed',
      'imap.example.com',
      '"imap.example.com',
      11,
      /a quote, a bracket or a colon is missing/,
      true,
    ],
    ['a colon in a value', 'imap.example.com', 'imap: example', 3, /a value holds a colon/, true],
    ['two documents', 'secret_store:', '---\nsecret_store:', 8, /a second document begins here/, true],
    ['a nest', WHOLE, `accounts: ${'['.repeat(60)}${']'.repeat(60)}`, 1, /nested too deeply/, true],
    ['a deep nest', WHOLE, '['.repeat(20_000), 1, /nested too deeply|bracket/, true],
    ['an empty file', WHOLE, '', 0, /the file is empty/, true],
    ['a file of comments', WHOLE, '# nothing\n', 0, /the file is empty/, true],
    ['a file that is a list', WHOLE, '- a\n', 1, /accounts\.yaml must be a mapping/],
    ['a file that is too large', WHOLE, `# ${'x'.repeat(1_000_000)}\n`, 0, /larger than 1 MB/, true],
  ]),
  ...of('callers.yaml', [
    ['an unknown policy', 'policy: reading', 'policy: readin', 3, /there is no policy "readin"; write reading instead/],
    ['no policy', '    policy: reading\n', '', 2, /policy is missing in a caller/],
    ['a token without a reference', / {6}token_secret_ref:.*\n/, '', 5, /token_secret_ref is missing/],
    ['a token for a trusted caller', 'shared_token', 'stdio_trusted', 6, /a stdio_trusted caller has no token/],
    ['an unknown proof', 'shared_token', 'sharedtoken', 5, /type must be one of .*; write shared_token instead/],
    ['an id with a slash', 'id: agent', 'id: a/b', 2, /id cannot be used as it is/],
    ['an id that is too long', 'id: agent', `id: ${'a'.repeat(65)}`, 2, /write 1 to 64 letters/],
    [
      'the same caller twice',
      'callers:',
      'callers:\n  - { id: agent, policy: reading, auth: { type: stdio_trusted } }',
      3,
      /a caller "agent" already \(callers\.yaml:2\)/,
    ],
    [
      'one token for two',
      'callers:',
      'callers:\n  - { id: other, policy: reading, auth: { type: shared_token, token_secret_ref: "secret://callers/agent/token" } }',
      6,
      /the caller "other" has the same token/,
    ],
    [
      'an unknown tool set',
      'policy: reading',
      'policy: reading\n    toolsets: [imp]',
      4,
      /unknown tool set "imp"; write imap instead/,
    ],
    [
      'a tool set that is not there yet',
      'policy: reading',
      'policy: reading\n    toolsets: [imap, outbox]',
      4,
      /the tool set outbox is not available yet/,
    ],
    [
      'tool sets that exclude each other',
      'policy: reading',
      'policy: reading\n    toolsets: [policy, inbox]',
      4,
      /both define create_draft/,
    ],
    [
      'a tool set twice',
      'policy: reading',
      'policy: reading\n    toolsets:\n      - imap\n      - imap',
      6,
      /imap is listed already/,
    ],
    ['no tool set', 'policy: reading', 'policy: reading\n    toolsets: []', 4, /toolsets is empty/],
    [
      'tool sets that are text',
      'policy: reading',
      'policy: reading\n    toolsets: imap, policy',
      4,
      /toolsets must be a list/,
    ],
    [
      'a limit of nothing',
      'policy: reading',
      'policy: reading\n    limits: { per_minute: 0 }',
      4,
      /per_minute must be a whole number/,
    ],
    [
      'a flag that is a word',
      'policy: reading',
      'policy: reading\n    hide_denied_tools: yes',
      4,
      /hide_denied_tools must be true or false/,
    ],
    ['no callers', WHOLE, 'callers: []\n', 1, /there is no caller/],
    ['an empty file', WHOLE, '', 0, /the file is empty; write callers: and at least one caller$/, true],
    [
      'a token as a reference',
      'secret://callers/agent/token',
      'hunter2',
      6,
      /write secret:\/\/callers\/agent\/token or/,
    ],
  ]),
  ...of('policies/reading.yaml', [
    ['an unknown account', 'work:', 'wrok:', 3, /there is no account "wrok"; write work instead/],
    ['an empty file', WHOLE, '', 0, /the file is empty; write a policy, or remove it$/, true],
    [
      'a cap of another name',
      FOLDER,
      blacklist('FULL', '{ match: {}, cap: ALL }'),
      8,
      /cap must be one of NONE, .*, BODY; got "ALL"$/,
    ],
    ['no name', 'name: reading\n', '', 1, /name is missing in a policy/],
    ['a name with a space', 'name: reading', 'name: just reading', 1, /name cannot be used as it is/],
    ['accounts that are a list', /accounts:[\s\S]*/, 'accounts: [work]\n', 2, /accounts must be a mapping/],
    ['an account without folders', /work:[\s\S]*/, 'work:\n', 3, /the folders of an account must be a list/],
    ['no path', '- path: INBOX\n      mode', '- mode', 4, /path is missing in a folder/],
    ['no mode', '      mode: whitelist\n', '', 4, /mode is missing in a folder/],
    ['no default', '      default: NONE\n', '', 4, /default is missing in a folder/],
    ['an unknown mode', 'whitelist', 'allowlist', 5, /mode must be one of whitelist, blacklist; got "allowlist"$/],
    ['an unknown level', 'FULL', 'ALL', 9, /grant must be one of COUNT, .*, FULL; got "ALL"$/],
    ['a level in lower case', 'FULL', 'full', 9, /"full"; write FULL instead/],
    ['a whitelist that shows', 'NONE', 'COUNT', 6, /write default: NONE instead, or mode: blacklist/],
    ['a blacklist that hides', FOLDER, blacklist('NONE'), 6, /write a default above NONE instead/],
    ['a cap in a whitelist', 'grant:', 'cap:', 9, /a whitelist has no cap; write grant: … instead/],
    [
      'a grant in a blacklist',
      FOLDER,
      blacklist('FULL', '{ match: {}, grant: COUNT }'),
      8,
      /a blacklist has no grant; write cap/,
    ],
    ['grant and cap', 'grant: FULL', 'grant: FULL\n          cap: COUNT', 10, /never both; write only grant instead/],
    ['neither', '          grant: FULL\n', '', 8, /grant is missing in a rule/],
    ['a grant of nothing', 'FULL', 'NONE', 9, /grant: NONE grants nothing/],
    ['no match', '- match: { from_domain: example.com }\n          grant', '- grant', 8, /match is missing in a rule/],
    ['an empty match', '{ from_domain: example.com }', '', 8, /match is empty; write match: \{\}/],
    ['an unknown predicate', 'from_domain', 'from_domian', 8, /unknown key "from_domian" in match; write from_domain/],
    [
      'a predicate of another kind',
      'from_domain: example.com',
      'size_gt: big',
      8,
      /size_gt cannot be read; write a number of bytes/,
    ],
    ['a domain that is an address', 'example.com', 'me@example.com', 8, /from_domain cannot be read; write a domain/],
    ['several domains', 'example.com', '[a.example, b.example]', 8, /and one rule for each value/],
    ['a subject that is a number', 'from_domain: example.com', 'subject_contains: 2026', 8, /in quotes/],
    ['an age without a unit', 'from_domain: example.com', 'newer_than: 30', 8, /an age such as 12h/],
    [
      'authenticated: false',
      'from_domain: example.com',
      'authenticated: false',
      8,
      /authenticated cannot be read; write true/,
    ],
    ['a flag that is a word', 'rules:', 'mark_seen: "true"\n      rules:', 7, /mark_seen must be true or false/],
    ['a misspelt capability', 'rules:', 'moveout: true\n      rules:', 7, /"moveout" in a folder; write move_out/],
    [
      'ages that leave nothing',
      'from_domain: example.com',
      'newer_than: 7d, older_than: 1w',
      8,
      /newer_than and older_than leave nothing/,
    ],
    [
      'sizes that leave nothing',
      'from_domain: example.com',
      'size_gt: 10, size_lt: 11',
      8,
      /size_gt and size_lt leave nothing/,
    ],
    [
      'senders that leave nothing',
      'from_domain: example.com',
      'from_domain: example.com, from: a@example.org',
      8,
      /from and from_domain leave nothing/,
    ],
    [
      'the same rule twice',
      RULE,
      `${RULE}\n        - match: { from_domain: EXAMPLE.com. }\n          grant: FULL`,
      10,
      /never reached: the one on line 8/,
    ],
    [
      'a rule that another covers',
      FOLDER,
      whitelist(
        '{ match: { from: a@example.com }, grant: BODY }',
        '{ match: { from_domain: example.com }, grant: FULL }',
      ),
      8,
      /never reached: the one on line 9/,
    ],
    [
      'a rule beside one that matches all',
      FOLDER,
      whitelist('{ match: {}, grant: ENVELOPE }', '{ match: { flagged: true }, grant: ENVELOPE }'),
      9,
      /never reached: the one on line 8/,
    ],
    [
      'a cap that another covers',
      FOLDER,
      blacklist('FULL', '{ match: { size_gt: 10 }, cap: COUNT }', '{ match: { size_gt: 20 }, cap: BODY }'),
      9,
      /never reached: the one on line 8 .*caps as low/,
    ],
    [
      'a cap that takes nothing',
      FOLDER,
      blacklist('BODY', '{ match: { size_gt: 10 }, cap: FULL }'),
      8,
      /cap: FULL is not below the folder's default BODY/,
    ],
    [
      'INBOX twice',
      '- path: INBOX',
      '- { path: inbox, mode: whitelist, default: NONE }\n    - path: INBOX',
      5,
      /path names the same folder as line 4/,
    ],
    [
      'a path twice',
      '- path: INBOX',
      '- { path: Élan/x, mode: whitelist, default: NONE }\n    - path: "E\\u0301lan/x"',
      5,
      /the same folder as line 4/,
    ],
    ['an empty level', 'path: INBOX', 'path: a//b', 4, /path has an empty level/],
    ['a slash at the front', 'path: INBOX', 'path: /a', 4, /path begins with a slash/],
    ['a slash at the end', 'path: INBOX', 'path: a/', 4, /path ends with a slash/],
    ['a control character', 'path: INBOX', 'path: "a\\u0007b"', 4, /path must be one line without control characters/],
    ['a star inside', 'path: INBOX', 'path: a*/b', 4, /a \* stands only for the whole last level/],
    ['a star without quotes', 'path: INBOX', 'path: **', 4, /begins with \* is an alias.*in quotes/, true],
    [
      'a bracket without quotes',
      'path: INBOX',
      'path: [Gmail]/All Mail',
      4,
      /begins with \[ or \{, write the value in quotes/,
      true,
    ],
    ['rules that are a mapping', /rules:[\s\S]*/, 'rules: { match: {} }\n', 7, /rules must be a list/],
    [
      'an unknown approval',
      'name: reading',
      'name: reading\napprovals: { elicitation: enough }',
      2,
      /elicitation must be one of notify, sufficient/,
    ],
    ['sending that is no flag', 'name: reading', 'name: reading\nsend: maybe', 2, /send must be true or false/],
    ['a wrong flag', 'name: reading', 'name: reading\nconceal_hidden: 1', 2, /conceal_hidden must be true or false/],
  ]),
]
