import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createAttachmentFiles } from './attachment-files.ts'
import { MOST_BYTES, safeName } from './safe-name.ts'

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'attachments-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('.', '/', '\\', '..', '\0', '\u202e', '\ud800', 'con', '\n', 'é', '.pdf', '~') }),
)

test('whatever the name, the file is a direct child of the directory and holds exactly the bytes', async () => {
  const directory = newDirectory()
  const files = createAttachmentFiles({ directory })
  let saved = 0
  await fc.assert(
    fc.asyncProperty(fc.option(names, { nil: undefined }), fc.uint8Array({ maxLength: 2000 }), async (name, bytes) => {
      const path = await files.save(name, bytes)
      saved += 1
      expect(dirname(path)).toBe(directory)
      expect(readdirSync(directory)).toContain(basename(path))
      expect(new Uint8Array(readFileSync(path))).toEqual(bytes)
      expect(readdirSync(directory).length).toBe(saved)
    }),
  )
})

test('whatever the name, the safe one is short, plain and visible', () => {
  fc.assert(
    fc.property(names, (name) => {
      const safe = safeName(name)
      expect(safe).toMatch(/^[\p{L}\p{N}+@,=][\p{L}\p{M}\p{N}._+@,=-]*$/u)
      expect(safe).not.toMatch(/[.\p{Default_Ignorable_Code_Point}\p{C}]$|[\p{Default_Ignorable_Code_Point}\p{C}]/u)
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(MOST_BYTES)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  [undefined, 'attachment'],
  ['', 'attachment'],
  ['...', 'attachment'],
  ['invoice 2026.pdf', 'invoice_2026.pdf'],
  ['Übersicht – März.xlsx', 'Übersicht_März.xlsx'],
  ['請求書.pdf', '請求書.pdf'],
  ['../../etc/passwd', 'etc_passwd'],
  ['C:\\Windows\\win.ini', 'C_Windows_win.ini'],
  ['.bashrc', 'bashrc'],
  ['-rf', 'rf'],
  ['$(reboot);`id`.txt', 'reboot_id_.txt'],
  ['con', 'attachment_con'],
  ['NUL.txt', 'attachment_NUL.txt'],
  ['com1.tar.gz', 'attachment_com1.tar.gz'],
  ['console.txt', 'console.txt'],
  ['report\u202efdp.exe', 'reportfdp.exe'],
  ['in\u200bvoice\u0000.pdf\r\n', 'invoice.pdf'],
  ['name. . .', 'name'],
])('%j becomes %s', (name, safe) => {
  expect(safeName(name)).toBe(safe)
})

test('a long name keeps its extension', () => {
  expect(safeName(`${'ä'.repeat(500)}.pdf`)).toMatch(/^ä{40,}\.pdf$/)
  expect(safeName(`a${'𠀀'.repeat(500)}.docx`)).toMatch(/^a𠀀{20,}\.docx$/u)
  expect(safeName(`a.${'b'.repeat(500)}`)).toMatch(/^a\.b+$/)
})

test('two of one name are two files', async () => {
  const files = createAttachmentFiles({ directory: newDirectory() })
  const paths = await Promise.all(Array.from({ length: 20 }, (_, index) => files.save('a.txt', Uint8Array.of(index))))
  expect(new Set(paths).size).toBe(20)
  expect(paths.map((path) => readFileSync(path)[0])).toEqual(Array.from({ length: 20 }, (_, index) => index))
})

test('a link that waits in the place of the file is not followed', async () => {
  const directory = newDirectory()
  const elsewhere = join(newDirectory(), 'precious')
  writeFileSync(elsewhere, 'as it was')
  symlinkSync(elsewhere, join(directory, 'guessed-a.txt'))
  symlinkSync(join(dirname(elsewhere), 'absent'), join(directory, 'guessed-b.txt'))
  const files = createAttachmentFiles({ directory }, () => 'guessed')
  for (const name of ['a.txt', 'b.txt']) {
    await expect(files.save(name, new Uint8Array(3))).rejects.toMatchObject({ code: 'unavailable' })
  }
  expect(readFileSync(elsewhere, 'utf8')).toBe('as it was')
  expect(readdirSync(dirname(elsewhere))).toEqual(['precious'])
})

test('directory and file are for their owner alone, and the path is absolute', async () => {
  const directory = join(newDirectory(), 'state', 'attachments')
  const path = await createAttachmentFiles({ directory }).save('a.txt', new Uint8Array(10))
  expect(isAbsolute(path)).toBe(true)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a directory that cannot be made is said so', async () => {
  const blocked = join(newDirectory(), 'file')
  writeFileSync(blocked, '')
  const save = createAttachmentFiles({ directory: blocked }).save('a.txt', new Uint8Array(1))
  await expect(save).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the attachment could not be saved: something else is in the place of its directory or file',
  })
})

test('the oldest of our files make room for a new one', async () => {
  const directory = newDirectory()
  const files = createAttachmentFiles({ directory, mostBytes: 1000 })
  const paths: string[] = []
  for (const [index, age] of [30, 50, 10, 40].entries()) {
    const path = await files.save(`${index}.bin`, new Uint8Array(250))
    utimesSync(path, Date.now() / 1000 - age, Date.now() / 1000 - age)
    paths.push(path)
  }
  const left = (): boolean[] => paths.map((path) => existsSync(path))
  expect(left()).toEqual([true, true, true, true])
  await files.save('one.bin', new Uint8Array(1))
  expect(left()).toEqual([true, false, true, true])
  await files.save('two.bin', new Uint8Array(500))
  expect(left()).toEqual([false, false, true, false])
  await files.save('all.bin', new Uint8Array(1000))
  expect(readdirSync(directory)).toHaveLength(1)
})

test('many at once never take more than there is room for', async () => {
  const directory = newDirectory()
  const files = createAttachmentFiles({ directory, mostBytes: 1000 })
  await Promise.all(Array.from({ length: 30 }, () => files.save('a.bin', new Uint8Array(300))))
  const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size)
  expect(sizes).toEqual([300, 300, 300])
})

test('what is not ours is neither counted nor removed, and no link is followed', async () => {
  const directory = newDirectory()
  const elsewhere = join(newDirectory(), 'precious')
  writeFileSync(elsewhere, 'x'.repeat(5000))
  symlinkSync(elsewhere, join(directory, '0123456789abcdef-link'))
  mkdirSync(join(directory, '0123456789abcdef-directory'))
  for (const name of ['notes.txt', '0123456789ABCDEF-upper', '0123456789abcdef', '0123-a', 'x0123456789abcdef-a']) {
    writeFileSync(join(directory, name), 'x'.repeat(5000))
    utimesSync(join(directory, name), 1, 1)
  }
  const before = readdirSync(directory)
  const files = createAttachmentFiles({ directory, mostBytes: 1000 })
  const first = await files.save('a', new Uint8Array(600))
  const second = await files.save('b', new Uint8Array(600))
  expect(readdirSync(directory).sort()).toEqual([...before, basename(second)].sort())
  expect(existsSync(first)).toBe(false)
  expect(readFileSync(elsewhere, 'utf8')).toHaveLength(5000)
})

test('one that is larger than all may be together is refused, and removes nothing', async () => {
  const directory = newDirectory()
  const files = createAttachmentFiles({ directory, mostBytes: 1000 })
  const kept = await files.save('a', new Uint8Array(900))
  await expect(files.save('b', new Uint8Array(1001))).rejects.toMatchObject({ code: 'too_large' })
  expect(readdirSync(directory)).toEqual([basename(kept)])
})
