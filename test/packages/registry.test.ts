/** server.json, by which the MCP registry knows us: valid, and of one mind with package.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { isKnownVariable } from '../../src/config/strays.ts'
import { ROOT } from './installed.ts'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
const exact = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/)

const input = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  value: z.string().optional(),
  choices: z.array(z.string()).optional(),
})

/** What the registry's schema of that day asks for; what it does not know is a slip of ours. */
const server = z.strictObject({
  $schema: z.literal(SCHEMA),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100).optional(),
  description: z.string().min(1).max(100),
  version: exact,
  repository: z.strictObject({ url: z.url(), source: z.string() }).optional(),
  packages: z.array(
    z.strictObject({
      registryType: z.enum(['npm', 'oci', 'mcpb']),
      identifier: z.string().min(1),
      version: exact,
      runtimeHint: z.string().optional(),
      transport: z.strictObject({ type: z.literal('stdio') }),
      environmentVariables: z.array(input).optional(),
    }),
  ),
})

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'))
const about = read('package.json')

test('server.json is valid and says what package.json says', () => {
  const told = server.parse(read('server.json'))
  const plain = (text: string): string => text.replaceAll('’', "'")
  expect([told.name, told.version, plain(told.description)]).toEqual([
    about.mcpName,
    about.version,
    plain(about.description),
  ])
  const [npm] = told.packages
  expect(npm).toMatchObject({ registryType: 'npm', identifier: about.name, version: about.version })
  // npx runs the program that has the package's name.
  expect(about.bin[about.name]).toBeDefined()
})

test('it names variables that there are, and marks the secret ones', () => {
  const variables = server.parse(read('server.json')).packages.flatMap((one) => one.environmentVariables ?? [])
  const isKnown = (name: string): boolean => isKnownVariable(name) || /^MAIL_IMAP_/.test(name) || name === 'DEV_MODE'
  expect(variables.filter(({ name }) => !isKnown(name))).toEqual([])
  expect(variables.filter(({ isSecret }) => isSecret).map(({ name }) => name)).toEqual(['MAIL_IMAP_DEFAULT_PASS'])
})
