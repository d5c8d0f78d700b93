/**
 * Makes a picture of a page small: at most 256 colours, those that are used most kept exactly, every other one replaced by the
 * nearest of them.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MOST_COLOURS = 256

/** Of a PNG with eight bits a channel, as browsers make them. */
export function smaller(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png)
  const { palette, indexOf } = paletteOf(pixels)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x] ?? 0)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

interface Picture {
  readonly width: number
  readonly height: number
  /** 0xRRGGBB each. */
  readonly pixels: Uint32Array
}

function decode(png: Buffer): Picture {
  const data: Buffer[] = []
  let [width, height, channels] = [0, 0, 3]
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 8, at + 8 + length)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IHDR') [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3]
    if (type === 'IDAT') data.push(body)
    at += length + 12
  }
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * channels, height, channels)
  const pixels = new Uint32Array(width * height)
  for (let at = 0; at < pixels.length; at++) pixels[at] = bytes.readUIntBE(at * channels, 3)
  return { width, height, pixels }
}

function unfiltered(rows: Buffer, stride: number, height: number, channels: number): Buffer {
  const bytes = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : (bytes[y * stride + x - channels] ?? 0)
      const up = y === 0 ? 0 : (bytes[(y - 1) * stride + x] ?? 0)
      const corner = x < channels || y === 0 ? 0 : (bytes[(y - 1) * stride + x - channels] ?? 0)
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
      bytes[y * stride + x] = ((rows[y * (stride + 1) + 1 + x] ?? 0) + guess) & 255
    }
  }
  return bytes
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

function paletteOf(pixels: Uint32Array): { readonly palette: number[]; indexOf(colour: number): number } {
  const uses = new Map<number, number>()
  for (const colour of pixels) uses.set(colour, (uses.get(colour) ?? 0) + 1)
  const palette = [...uses]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_COLOURS)
    .map(([colour]) => colour)
  const known = new Map(palette.map((colour, at) => [colour, at]))
  return {
    palette,
    indexOf(colour) {
      const found = known.get(colour) ?? nearest(colour, palette)
      known.set(colour, found)
      return found
    },
  }
}

function nearest(colour: number, palette: readonly number[]): number {
  const distance = (other: number): number =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)
  return palette.reduce((best, other, at) => (distance(other) < distance(palette[best] ?? 0) ? at : best), 0)
}

function chunk(type: string, body: Buffer): Buffer {
  const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), body, Buffer.alloc(4)])
  framed.writeUInt32BE(body.length, 0)
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4)
  return framed
}
