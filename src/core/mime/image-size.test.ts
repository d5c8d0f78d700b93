import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { imageSize } from './image-size.ts'

const hex = (text: string): Uint8Array => Buffer.from(text.replace(/\s/g, ''), 'hex')
const ascii = (text: string): string => Buffer.from(text, 'latin1').toString('hex')

const PNG = hex(`89504e470d0a1a0a 0000000d ${ascii('IHDR')} 00000140 000000c8 08060000 00`)
const GIF = hex(`${ascii('GIF89a')} 4001 c800 f70000`)
const JPEG = hex(
  `ffd8 ffe0 0010 ${ascii('JFIF')}00 010100000100010000 ffff ffc4 0004 0000 ffc2 0011 08 00c8 0140 03 0111 00`,
)
const BMP = hex(`${ascii('BM')} 00000000 00000000 36000000 28000000 40010000 38ffffff 0100 1800`)
const OLD_BMP = hex(`${ascii('BM')} 00000000 00000000 1a000000 0c000000 4001 c800 0100 1800`)
const VP8 = hex(`${ascii('RIFF')} 00000000 ${ascii('WEBPVP8 ')} 00000000 000000 9d012a 4041 c840`)
const VP8L = hex(`${ascii('RIFF')} 00000000 ${ascii('WEBPVP8L')} 00000000 2f 3fc13100 0000000000`)
const VP8X = hex(`${ascii('RIFF')} 00000000 ${ascii('WEBPVP8X')} 0a000000 10000000 3f0100 c70000`)

const PICTURES = { PNG, GIF, JPEG, BMP, OLD_BMP, VP8, VP8L, VP8X }

describe('the size of a picture', () => {
  test.each(Object.entries(PICTURES))('%s', (_, bytes) => {
    expect(imageSize(bytes)).toEqual({ width: 320, height: 200 })
  })

  test('is found wherever the bytes lie in memory', () => {
    const shifted = new Uint8Array(PNG.length + 7)
    shifted.set(PNG, 7)
    expect(imageSize(shifted.subarray(7))).toEqual({ width: 320, height: 200 })
  })

  test('is none where a side has no pixels, or the bytes are no picture', () => {
    const flat = new Uint8Array(PNG)
    flat.fill(0, 16, 20)
    expect(imageSize(flat)).toBeUndefined()
    expect(imageSize(new Uint8Array())).toBeUndefined()
    expect(imageSize(Buffer.from('%PDF-1.7 and so on and so on and on'))).toBeUndefined()
    expect(imageSize(hex('ffd8 ffda 0008 0000 0000 0000 ffc0 0011 08 00c8 0140'))).toBeUndefined()
  })

  test('never throws, however it is cut or changed', () => {
    const picture = fc.constantFrom(...Object.values(PICTURES))
    const change = fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 255 }))
    fc.assert(
      fc.property(picture, fc.array(change), fc.nat({ max: 60 }), (original, changes, end) => {
        const bytes = new Uint8Array(original)
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
        for (const size of [imageSize(bytes), imageSize(bytes.subarray(0, end))]) {
          if (size !== undefined) expect(Math.min(size.width, size.height)).toBeGreaterThan(0)
        }
      }),
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void imageSize(bytes)))
  })

  test('is found behind a long row of segments', () => {
    const segments = Array.from({ length: 25_000 }, () => [0xff, 0xe0, 0, 2]).flat()
    expect(imageSize(Uint8Array.from([0xff, 0xd8, ...segments, ...JPEG.subarray(2)]))).toEqual({
      width: 320,
      height: 200,
    })
  })
})
