/** Small files to attach: each valid, each made of a few lines. */
import { concat } from './compose.ts'
import { ascii } from './encodings.ts'

/** One page of text. Characters beyond Latin-1 are not for this. */
export function pdfFile(lines: readonly string[]): Uint8Array {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n')
  const page = `BT /F1 11 Tf 56 780 Td 16 TL\n${shown}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  return ascii(
    `${text}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
  )
}

export type Painter = (x: number, y: number) => readonly [number, number, number]

/** A picture in true colour, its data stored uncompressed. */
export function pngFile(width: number, height: number, paint: Painter): Uint8Array {
  const rows = Array.from({ length: height }, (_row, y) => [
    0,
    ...Array.from({ length: width }, (_pixel, x) => paint(x, y)).flat(),
  ])
  const raw = Uint8Array.from(rows.flat())
  const stored = concat([
    Uint8Array.of(0x78, 0x01, 0x01, ...little(raw.length, 2), ...little(raw.length ^ 0xffff, 2)),
    raw,
    big(adler32(raw)),
  ])
  const size = concat([big(width), big(height), Uint8Array.of(8, 2, 0, 0, 0)])
  return concat([
    ascii('\u0089PNG\r\n\u001A\n'),
    pngChunk('IHDR', size),
    pngChunk('IDAT', stored),
    pngChunk('IEND', new Uint8Array()),
  ])
}

function pngChunk(name: string, content: Uint8Array): Uint8Array {
  const named = concat([ascii(name), content])
  return concat([big(content.length), named, big(crc32(named))])
}

/** Files stored as they are. */
export function zipFile(entries: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const local: Uint8Array[] = []
  const central: Uint8Array[] = []
  let place = 0
  for (const [name, content] of entries) {
    const facts = [
      ...little(0, 4),
      ...little(0x5821_0000, 4),
      ...little(crc32(content), 4),
      ...little(content.length, 4),
      ...little(content.length, 4),
      ...little(name.length, 2),
      ...little(0, 2),
    ]
    const record = concat([ascii('PK\u0003\u0004'), Uint8Array.of(...little(20, 2), ...facts), ascii(name), content])
    local.push(record)
    central.push(
      concat([
        ascii('PK\u0001\u0002'),
        Uint8Array.of(
          ...little(20, 2),
          ...little(20, 2),
          ...facts,
          ...little(0, 2),
          ...little(0, 4),
          ...little(0, 4),
          ...little(place, 4),
        ),
        ascii(name),
      ]),
    )
    place += record.length
  }
  const directory = concat(central)
  const end = [
    ...little(0, 4),
    ...little(entries.length, 2),
    ...little(entries.length, 2),
    ...little(directory.length, 4),
    ...little(place, 4),
    ...little(0, 2),
  ]
  return concat([...local, directory, ascii('PK\u0005\u0006'), Uint8Array.from(end)])
}

function little(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_byte, at) => Math.floor(value / 256 ** at) & 0xff)
}

function big(value: number): Uint8Array {
  return Uint8Array.from(little(value, 4).reverse())
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0]
  for (const byte of bytes) {
    low = (low + byte) % 65521
    high = (high + low) % 65521
  }
  return high * 65536 + low
}
