/** Attachments in files: those of ours go when it was said they would, those in a directory of the user's own stay. */
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { accountsYaml, type Scene, startScene, treeOf } from '../callers/scene.ts'
import { toolCall } from '../callers/tool-calls.ts'
import { initialize, type RawProcess } from '../mcp/raw-process.ts'

let scene: Scene
afterEach(() => scene.close())

const MEGABYTE = 1_048_576

async function sceneWith(more = ''): Promise<void> {
  const tree = treeOf(['ann'], 'stdio')
  scene = await startScene({ ...tree, 'accounts.yaml': `${accountsYaml(['ann'])}${more}` })
  const messages = [
    ['small', 300],
    ['large', MEGABYTE + 10],
  ] as const
  for (const [name, size] of messages) {
    const path = join(scene.tree, '..', `${name}.eml`)
    writeFileSync(path, letterWith(`../${name}.bin`, size))
    expect(await scene.run(['import', path, '--account', 'ann'])).toMatchObject({ code: 0 })
  }
}

function letterWith(name: string, size: number): string {
  const body = Buffer.alloc(size, 7).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  return [
    'From: a@example.org',
    `Message-ID: <${size}@example.org>`,
    'Subject: see attached',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See what is attached.',
    '--b',
    `Content-Type: application/octet-stream; name="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    body,
    '--b--',
    '',
  ].join('\r\n')
}

interface Fetched {
  readonly saved_to?: string
  readonly content_base64?: string
}

async function started(): Promise<RawProcess> {
  const child = scene.start([], { IMAP_MCP_CALLER_ID: 'ann' })
  child.write(initialize(1))
  await child.answer(1)
  return child
}

let ids = 10

async function fetched(child: RawProcess, uid: number): Promise<Fetched> {
  ids += 1
  child.write(toolCall(ids, 'fetch_attachment', { account: 'ann', folder: 'INBOX', uid }))
  const { result } = (await child.answer(ids)) as { result?: { structuredContent?: Fetched } }
  return result?.structuredContent ?? {}
}

test.each<[string, (child: RawProcess) => void]>([
  ['SIGTERM', (child) => void child.child.kill('SIGTERM')],
  ['SIGINT', (child) => void child.child.kill('SIGINT')],
  ['the end of stdin', (child) => void child.child.stdin.end()],
])('a saved attachment goes with %s', async (_what, stop) => {
  await sceneWith()
  const child = await started()
  const { saved_to: path = '' } = await fetched(child, 2)
  expect(statSync(path).size).toBe(MEGABYTE + 10)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  stop(child)
  await child.exitCode()
  expect(readdirSync(join(scene.data, 'attachments'))).toEqual([])
})

test('what a killed server has left goes at the next start; what a living one has, stays for its hour', async () => {
  await sceneWith()
  const [killed, living] = [await started(), await started()]
  const { saved_to: left = '' } = await fetched(killed, 2)
  const { saved_to: fresh = '' } = await fetched(living, 2)
  killed.kill()
  await killed.exitCode()
  expect(existsSync(left)).toBe(true)
  await started()
  await expect.poll(() => existsSync(left)).toBe(false)
  expect(existsSync(fresh)).toBe(true)
  const found = await scene.run(['doctor', '--json'])
  expect(JSON.parse(found.stdout).findings).toContainEqual(
    expect.objectContaining({
      check: 'attachments',
      verdict: 'ok',
      sentence: expect.stringMatching(/^1 saved attachment, 1\.0 MB/),
    }),
  )
  const long = Date.now() / 1000 - 3_700
  utimesSync(fresh, long, long)
  await started()
  await expect.poll(() => existsSync(fresh)).toBe(false)
})

test('in a directory of the user, attachments above a size are saved, and stay', async () => {
  await sceneWith('attachments: { directory: ../kept, save_above: 200 }\n')
  const child = await started()
  const answer = await fetched(child, 1)
  expect(answer.content_base64).toBeUndefined()
  const { saved_to: path = '' } = answer
  expect(path).toMatch(/\/kept\/[0-9a-f]{16}-small\.bin$/)
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  expect(readFileSync(path)).toEqual(Buffer.alloc(300, 7))
  await child.end()
  await (await started()).end()
  expect(existsSync(path)).toBe(true)
})

test('without it, a small one is in the answer', async () => {
  await sceneWith()
  const child = await started()
  expect(await fetched(child, 1)).toMatchObject({ content_base64: Buffer.alloc(300, 7).toString('base64') })
})

test.each(['2 MB', '-1', 'much', '1.5', 'true', '[1]'])(
  'save_above: %s is refused, with where it stands',
  async (size) => {
    scene = await startScene({
      ...treeOf(['ann'], 'stdio'),
      'accounts.yaml': `${accountsYaml(['ann'])}attachments:\n  save_above: ${size}\n`,
    })
    const { code, stderr, stdout } = await scene.run(['check'])
    expect(code).not.toBe(0)
    expect(stderr + stdout).toMatch(/accounts\.yaml:\d+:\d+: save_above must be a size from 0 to 1 MB/)
  },
)

test.each([
  ['299', true],
  ['1 KB', false],
])('save_above: %s', async (size, isSaved) => {
  await sceneWith(`attachments: { save_above: ${size} }\n`)
  const child = await started()
  expect((await fetched(child, 1)).saved_to !== undefined).toBe(isSaved)
})
