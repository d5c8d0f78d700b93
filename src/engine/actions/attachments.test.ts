import { expect, test } from 'vitest'
import type { Readable } from '../../core/content.ts'
import type { Part, PartBytes } from '../../core/message.ts'
import type { ContentReader } from '../../ports/content-reader.ts'
import { attachmentsIn, documentsToRead } from './attachments.ts'

const part = (id: string, type: string, more: Partial<Part> = {}): Part => ({
  id,
  type,
  parameters: {},
  disposition: undefined,
  filename: undefined,
  contentId: undefined,
  encoding: '7bit',
  size: 3,
  children: [],
  ...more,
})
const attached = { disposition: 'attachment', filename: 'f' }
const root = part('', 'multipart/mixed', {
  children: [part('1', 'text/plain'), part('2', 'text/html', attached), part('3', 'application/pdf', attached)],
})
const bytes = (id: string): [string, PartBytes] => [id, { id, bytes: new Uint8Array([65, 66, 67]), complete: true }]

const readable: Readable = {
  text: 'shown',
  uncertain: 'u'.repeat(2500),
  truncated: false,
  warnings: [{ kind: 'uncertain_text', count: 1 }],
}
const unused = (): never => {
  throw new Error('not asked for')
}
const content: ContentReader = {
  text: async () => readable,
  document: async () => ({ ...readable, uncertain: '', warnings: [] }),
  html: unused,
  review: unused,
  pdf: unused,
  texts: unused,
  close: async () => undefined,
}

test('uncertain text of an attachment is beside its text, a page at a time', async () => {
  const documents = documentsToRead(root, 1000)
  const workshop = { content, signal: new AbortController().signal }
  const downloaded = new Map([bytes('2'), bytes('3')])
  const first = await attachmentsIn(root, downloaded, documents, undefined, workshop)
  expect(first.list.map(({ text, uncertain }) => [text, uncertain])).toEqual([
    ['shown', { text: 'u'.repeat(2000), next: { offset: 2000, remaining: 500 } }],
    ['shown', undefined],
  ])
  expect(first.warnings).toEqual([{ kind: 'uncertain_text', count: 1 }])
  const second = await attachmentsIn(root, downloaded, documents, 2000, workshop)
  expect(second.list[0]?.uncertain).toEqual({ text: 'u'.repeat(500) })
})
