/**
 * Width and height of a picture, from the first bytes that tell them: PNG, JPEG, GIF, WebP, BMP.
 *
 * INVARIANT: never throws, decodes nothing, linear in the size of the bytes; a side of no pixels is no size.
 */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = png(view) ?? jpeg(view) ?? gif(view) ?? webp(view) ?? bmp(view)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function png(view: DataView): ImageSize | undefined {
  if (!says(view, 0, '\x89PNG\r\n\x1a\n') || !says(view, 12, 'IHDR') || view.byteLength < 24) return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function gif(view: DataView): ImageSize | undefined {
  if (!(says(view, 0, 'GIF87a') || says(view, 0, 'GIF89a')) || view.byteLength < 10) return undefined
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

const OS2_HEADER = 12
const LEAST_BMP_HEADER = 40

/** A height below zero means that the rows run from top to bottom. */
function bmp(view: DataView): ImageSize | undefined {
  if (!says(view, 0, 'BM') || view.byteLength < 26) return undefined
  const header = view.getUint32(14, true)
  if (header === OS2_HEADER) return { width: view.getUint16(18, true), height: view.getUint16(20, true) }
  if (header < LEAST_BMP_HEADER) return undefined
  return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
}

function webp(view: DataView): ImageSize | undefined {
  if (!says(view, 0, 'RIFF') || !says(view, 8, 'WEBP') || view.byteLength < 30) return undefined
  if (says(view, 12, 'VP8 ')) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  if (says(view, 12, 'VP8L')) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (!says(view, 12, 'VP8X')) return undefined
  return { width: (view.getUint32(24, true) & 0xffffff) + 1, height: (view.getUint32(26, true) >>> 8) + 1 }
}

/** Tables of codes and the like share the numbers of the frames. */
const NO_FRAME = new Set([0xc4, 0xc8, 0xcc])
const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9

/** Segment by segment up to the one that begins the frame. */
function jpeg(view: DataView): ImageSize | undefined {
  if (!says(view, 0, '\xff\xd8')) return undefined
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff || marker === 0x01) {
      // Filling before a marker, or a marker that stands alone.
      at += marker === 0xff ? 1 : 2
      continue
    }
    if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.has(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    }
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE) return undefined
    const length = view.getUint16(at + 2)
    if (length < 2) return undefined
    at += 2 + length
  }
  return undefined
}

function says(view: DataView, at: number, letters: string): boolean {
  if (view.byteLength < at + letters.length) return false
  for (let index = 0; index < letters.length; index++) {
    if (view.getUint8(at + index) !== letters.charCodeAt(index)) return false
  }
  return true
}
