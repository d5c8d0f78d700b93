/**
 * Pictures of a page as pixels, and how far two of them differ.
 *
 * INVARIANT: reads what Chromium writes: eight bits a channel, three or four channels, not interlaced.
 */
import { inflateSync } from 'node:zlib'

export interface Picture {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly bytes: Uint8Array
}

export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const SIGNATURE_LENGTH = 8

export function decodePng(png: Buffer): Picture {
  const data: Buffer[] = []
  let [width, height, channels] = [0, 0, 3]
  for (let at = SIGNATURE_LENGTH; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 8, at + 8 + length)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IHDR') [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3]
    if (type === 'IDAT') data.push(body)
    at += length + 12
  }
  return { width, height, channels, bytes: unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels) }
}

/** PNG §9: each row begins with the number of its filter. */
function unfiltered(rows: Uint8Array, stride: number, channels: number): Uint8Array {
  const height = Math.floor(rows.length / (stride + 1))
  const bytes = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)] ?? 0
    const from = y * (stride + 1) + 1
    const to = y * stride
    bytes.set(rows.subarray(from, from + stride), to)
    if (filter === 1) addLeft(bytes, to, stride, channels)
    else if (filter === 2) addUp(bytes, to, stride)
    else if (filter === 3) addAverage(bytes, to, stride, channels)
    else if (filter === 4) addPaeth(bytes, to, stride, channels)
  }
  return bytes
}

function addLeft(bytes: Uint8Array, to: number, stride: number, channels: number): void {
  for (let x = channels; x < stride; x++) bytes[to + x] = (bytes[to + x] ?? 0) + (bytes[to + x - channels] ?? 0)
}

function addUp(bytes: Uint8Array, to: number, stride: number): void {
  if (to === 0) return
  for (let x = 0; x < stride; x++) bytes[to + x] = (bytes[to + x] ?? 0) + (bytes[to + x - stride] ?? 0)
}

function addAverage(bytes: Uint8Array, to: number, stride: number, channels: number): void {
  for (let x = 0; x < stride; x++) {
    const left = x < channels ? 0 : (bytes[to + x - channels] ?? 0)
    const up = to === 0 ? 0 : (bytes[to + x - stride] ?? 0)
    bytes[to + x] = (bytes[to + x] ?? 0) + ((left + up) >> 1)
  }
}

function addPaeth(bytes: Uint8Array, to: number, stride: number, channels: number): void {
  for (let x = 0; x < stride; x++) {
    const left = x < channels ? 0 : (bytes[to + x - channels] ?? 0)
    const up = to === 0 ? 0 : (bytes[to + x - stride] ?? 0)
    const corner = x < channels || to === 0 ? 0 : (bytes[to + x - stride - channels] ?? 0)
    bytes[to + x] = (bytes[to + x] ?? 0) + paeth(left, up, corner)
  }
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

/** A part of a picture. */
export interface Cutting {
  readonly picture: Picture
  readonly area: Area
}

/** Pixels of two cuttings of the same size of which one channel differs by at least `least`. */
export function differentPixels(one: Cutting, other: Cutting, least: number): number {
  const { channels } = one.picture
  let found = 0
  for (let y = 0; y < one.area.height; y++) {
    const from = rowStart(one, y)
    const shift = rowStart(other, y) - from
    const end = from + one.area.width * channels
    for (let at = from; at < end; at += channels) {
      if (difference(one.picture.bytes, at, other.picture.bytes, at + shift) >= least) found++
    }
  }
  return found
}

function rowStart({ picture, area }: Cutting, y: number): number {
  return ((area.y + y) * picture.width + area.x) * picture.channels
}

function difference(one: Uint8Array, at: number, other: Uint8Array, there: number): number {
  const red = Math.abs((one[at] ?? 0) - (other[there] ?? 0))
  const green = Math.abs((one[at + 1] ?? 0) - (other[there + 1] ?? 0))
  const blue = Math.abs((one[at + 2] ?? 0) - (other[there + 2] ?? 0))
  return Math.max(red, green, blue)
}
