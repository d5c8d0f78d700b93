/** Style sheets that a page carries in the address it loads them from. */
import { Buffer } from 'node:buffer'
import { parseSheet, type Sheet } from './sheet.ts'

const MAX_DEPTH = 4

/** The sheet and those that it imports from itself, in the order in which they count. */
export function parseSheets(css: string, depth = 0): Sheet[] {
  const sheet = parseSheet(css)
  const carried = sheet.imports.flatMap((address) => cssInAddress(address) ?? [])
  if (carried.length === 0) return [sheet]
  if (depth >= MAX_DEPTH) return [{ ...sheet, complete: false }]
  return [...carried.flatMap((inner) => parseSheets(inner, depth + 1)), sheet]
}

/** The content of `data:text/css,…`. */
export function cssInAddress(address: string): string | undefined {
  const match = /^\s*data:text\/css([^,]{0,200}),/i.exec(address)
  if (match === null) return undefined
  const body = address.slice(match[0].length)
  const text = body.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
  return /;\s*base64\s*$/i.test(match[1] ?? '') ? Buffer.from(text, 'base64').toString() : text
}
