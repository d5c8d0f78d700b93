import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkpointText, readCheckpointText } from './checkpoint.ts'
import { base64ToHex, hexToBase64, readNotes, readVerifierKey, writeNote, writeVerifierKey } from './note.ts'

const hex = (min: number, max: number) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => Buffer.from(bytes).toString('hex'))
const ROOT = `sha256:${'ab'.repeat(32)}`
const checkpoint = { day: '2026-05-06', size: 256, root: ROOT, time: '2026-05-06T10:00:00.000Z' }
const signature = { name: 'postern/audit', keyId: '0a1b2c3d', bytes: '11'.repeat(64) }
const note = writeNote(checkpointText(checkpoint), signature)

test('base64 there and back', () => {
  fc.assert(
    fc.property(hex(0, 100), (value) => {
      expect(base64ToHex(hexToBase64(value))).toBe(value)
    }),
  )
  expect(hexToBase64('00ff10')).toBe(Buffer.from('00ff10', 'hex').toString('base64'))
  expect(base64ToHex('AB==')).toBeUndefined()
})

test('a checkpoint has the form of C2SP: origin, size, root, and a line of our own', () => {
  expect(checkpointText(checkpoint)).toBe(
    `postern/audit/2026-05-06\n256\n${Buffer.from('ab'.repeat(32), 'hex').toString('base64')}\ntime 2026-05-06T10:00:00.000Z\n`,
  )
  expect(readCheckpointText(checkpointText(checkpoint))).toEqual(checkpoint)
})

test.each([
  ['a size with a zero in front', checkpointText(checkpoint).replace('256', '0256')],
  ['another origin', checkpointText(checkpoint).replace('postern', 'other')],
  ['a line too many', `${checkpointText(checkpoint)}more\n`],
  ['a short root', checkpointText(checkpoint).replace('q6ur', '')],
])('%s is no checkpoint', (_name, text) => {
  expect(readCheckpointText(text)).toBeUndefined()
})

test('a note is its text, an empty line, its signature', () => {
  const encoded = Buffer.from(`0a1b2c3d${'11'.repeat(64)}`, 'hex').toString('base64')
  expect(note).toBe(`${checkpointText(checkpoint)}\n— postern/audit ${encoded}\n\n`)
})

test('notes one after the other come back one by one, each with its line', () => {
  const { notes, badLine, unfinished } = readNotes(note.repeat(3))
  expect(notes.map(({ line }) => line)).toEqual([1, 8, 15])
  expect(notes[2]).toEqual({ text: checkpointText(checkpoint), signatures: [signature], line: 15 })
  expect({ badLine, unfinished }).toEqual({ badLine: undefined, unfinished: false })
})

test('wherever the last note was cut, those before it count', () => {
  for (let end = note.length + 1; end < note.length * 2; end += 1) {
    expect(readNotes(note.repeat(2).slice(0, end))).toMatchObject({ notes: [{ line: 1 }], unfinished: true })
  }
})

describe('what is no note is found', () => {
  test.each([
    ['a signature without a name', note.replace('— postern/audit ', '— '), 1],
    ['a signature that is not base64', note + note.replace(/(?<=audit )./, '!'), 8],
    ['a dash of another kind', note.replace('—', '-'), 1],
    ['a text without signature', `text\n\n${note}`, 1],
    ['empty lines', `\n\n\n\n${note}`, 1],
  ])('%s', (_name, content, line) => {
    expect(readNotes(content).badLine).toBe(line)
  })
})

test('a public key there and back', () => {
  const key = { name: 'postern/audit', id: '0a1b2c3d', publicKey: 'cd'.repeat(32) }
  expect(readVerifierKey(`${writeVerifierKey(key)}\n`)).toEqual(key)
  expect(readVerifierKey('postern/audit+0a1b2c3d+AAAA')).toBeUndefined()
  expect(readVerifierKey('nonsense')).toBeUndefined()
})
