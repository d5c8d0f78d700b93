/** The MCP bundle: its manifest, what is in it, and that it runs from where a host unpacks it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { emptyFolder, ROOT, run, surroundings, toolsOf } from './installed.ts'
import { manifestSchema } from './manifest-schema.ts'

/** 1 January 1980, as a zip writes it. */
const FIRST_DAY = (1 << 5) | 1

const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

test('the bundle is valid, whole, and runs where it is unpacked', async () => {
  const folder = emptyFolder()
  const file = join(folder, 'postern.mcpb')
  await run(process.execPath, [join(ROOT, 'tools/mcpb.mjs'), file], { cwd: folder })
  const files = unzipSync(readFileSync(file))
  const names = Object.keys(files)
  // In one order and of one time: the same files give the same bundle.
  expect(names).toEqual(names.toSorted())
  expect(readFileSync(file).readUInt16LE(12)).toBe(FIRST_DAY)
  expect(names.filter((name) => name.startsWith('/') || name.includes('..') || name.includes('\\'))).toEqual([])
  expect(
    names.filter((name) => /^(src|test|tools)\/|\.v8|node_modules\/(vitest|esbuild|typescript)\//.test(name)),
  ).toEqual([])

  const manifest = manifestSchema.parse(JSON.parse(new TextDecoder().decode(files['manifest.json'])))
  expect(manifest).toMatchObject({ name: about.name, version: about.version, description: about.description })
  expect(manifest.compatibility?.runtimes?.node).toBe(about.engines.node)
  expect(names).toContain(manifest.server.entry_point)
  expect(names).toContain('dist/postern.cjs')
  for (const name of Object.keys(about.dependencies)) expect(names).toContain(`node_modules/${name}/package.json`)

  const place = join(folder, 'unpacked')
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true })
    writeFileSync(join(place, name), bytes)
  }
  const { args = [], env = {} } = manifest.server.mcp_config
  // As a host does it: what a person left alone has its default.
  const filled = (text: string): string =>
    text.replaceAll(/\$\{__dirname\}/g, place).replaceAll(/\$\{user_config\.(\w+)\}/g, (_, key: string) => {
      const field = manifest.user_config?.[key]
      if (field?.default === undefined) throw new Error(`${key} would be left as it is written`)
      return String(field.default)
    })
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]))
  const account = {
    ...{ MAIL_IMAP_DEFAULT_HOST: '127.0.0.1', MAIL_IMAP_DEFAULT_USER: 'ada', MAIL_IMAP_DEFAULT_PASS: 'none' },
  }
  const home = emptyFolder()
  const asked = { ...surroundings(home), ...variables, ...account }
  expect(await toolsOf(process.execPath, args.map(filled), asked)).toContain('imap_search_messages')
  // And with the database that it brings along.
  expect(await toolsOf(process.execPath, [...args.map(filled), 'demo', '--stdio'], surroundings(home))).not.toEqual([])
  const sensitive = Object.entries(manifest.user_config ?? {}).filter(([, field]) => field.sensitive === true)
  expect(sensitive.map(([key]) => key)).toEqual(['password'])
})
