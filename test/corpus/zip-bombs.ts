/** Archives that are worse than they look. */
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipBomb {
  readonly id: string
  make(): Uint8Array
}

interface Member {
  readonly name: string
  readonly content?: Uint8Array
  /** Unix mode in the directory; 0o120777 is a symbolic link. */
  readonly mode?: number
}

export const ZIP_BOMBS: readonly ZipBomb[] = [
  { id: 'overlapping, 10 GB', make: () => overlapping(100, new Uint8Array(100_000_000)) },
  { id: 'of zips, five levels', make: nested },
  { id: 'with paths upwards', make: () => zip([{ name: '../../../etc/passwd' }, { name: '/etc/passwd' }]) },
  { id: 'with a link', make: () => zip([{ name: 'link', content: Buffer.from('/etc/passwd'), mode: 0o120777 }]) },
  { id: 'of 65,535 entries', make: () => zip(Array.from({ length: 65_535 }, (_, index) => ({ name: `f${index}` }))) },
]

/** Not compressed anew for each of many thousand. */
const PACKED_NOTHING = deflateRawSync(new Uint8Array())

function nested(): Uint8Array {
  let inner = zip([{ name: 'zeros', content: new Uint8Array(10_000_000) }])
  for (let level = 0; level < 5; level++) {
    inner = zip(Array.from({ length: 16 }, (_, index) => ({ name: `${index}.zip`, content: inner })))
  }
  return inner
}

function zip(members: readonly Member[]): Uint8Array {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content = new Uint8Array(), mode = 0o100644 } of members) {
    const packed = content.length === 0 ? PACKED_NOTHING : deflateRawSync(content)
    const facts = factsOf(name, content, packed)
    const file = Buffer.concat([localHeader(facts), Buffer.from(name), packed])
    files.push(file)
    directory.push(directoryEntry(facts, offset, mode), Buffer.from(name))
    offset += file.length
  }
  return Buffer.concat([...files, ...directory, end(members.length, Buffer.concat(directory).length, offset)])
}

/** Many names for one file. */
function overlapping(count: number, content: Uint8Array): Uint8Array {
  const packed = deflateRawSync(content)
  const facts = factsOf('f000', content, packed)
  const file = Buffer.concat([localHeader(facts), Buffer.from('f000'), packed])
  const directory = Array.from({ length: count }, (_, index) =>
    Buffer.concat([directoryEntry(facts, 0, 0o100644), Buffer.from(`f${String(index).padStart(3, '0')}`)]),
  )
  return Buffer.concat([file, ...directory, end(count, Buffer.concat(directory).length, file.length)])
}

/** What a file's own header and its entry in the directory have in common. */
function factsOf(name: string, content: Uint8Array, packed: Uint8Array): Buffer {
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(20, 0)
  facts.writeUInt16LE(8, 4)
  facts.writeUInt32LE(crc32(content), 10)
  facts.writeUInt32LE(packed.length, 14)
  facts.writeUInt32LE(content.length, 18)
  facts.writeUInt16LE(Buffer.byteLength(name), 22)
  return facts
}

function localHeader(facts: Buffer): Buffer {
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts])
}

function directoryEntry(facts: Buffer, offset: number, mode: number): Buffer {
  const more = Buffer.alloc(14)
  more.writeUInt32LE((mode << 16) >>> 0, 6)
  more.writeUInt32LE(offset, 10)
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), facts, more])
}

function end(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(22)
  record.write('PK\x05\x06', 'latin1')
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(size, 12)
  record.writeUInt32LE(offset, 16)
  return record
}
