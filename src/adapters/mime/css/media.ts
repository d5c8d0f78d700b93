/**
 * Whether a media query holds for somebody reading mail at a desk: a screen of 1280 by 800, light, with a mouse.
 *
 * What shows only in print or hides only on a phone is decided by this one reader, so that the answer is one text.
 */
import { parseLength, WINDOW } from './length.ts'
import { splitTopLevel } from './scan.ts'

export function mediaHolds(query: string): boolean {
  const text = query.trim().toLowerCase()
  return text === '' || splitTopLevel(text, ',').some((part) => queryHolds(part.trim()))
}

function queryHolds(query: string): boolean {
  const negated = /^not\b(?!\s*\()/.test(query)
  const rest = query.replace(/^(?:not|only)\b(?!\s*\()/, '').trim()
  const parts = rest.split(/\band\b/).map((part) => part.trim())
  // Two words in a row are no media query at all: such rules apply nowhere.
  if (parts.some((part) => /^[\w-]+\s+[\w-]+$/.test(part))) return false
  const holds = parts.every((part) =>
    part.startsWith('(') || part.startsWith('not') ? featuresHold(part) : typeHolds(part),
  )
  return holds !== negated
}

function typeHolds(type: string): boolean {
  return type === 'all' || type === 'screen' || type === ''
}

function featuresHold(text: string): boolean {
  if (text.startsWith('not')) return !featuresHold(text.slice(3).trim())
  const features = text.split(/\bor\b/).map((part) => part.replace(/[()]/g, ' ').trim())
  return features.some(featureHolds)
}

function featureHolds(feature: string): boolean {
  const [name = '', value = ''] = feature.split(':').map((part) => part.trim())
  const limit = parseLength(value, { fontSize: 16, whole: WINDOW.width })
  switch (name.replace(/-device-/, '-')) {
    case 'max-width':
      return limit === undefined || limit >= WINDOW.width
    case 'min-width':
      return limit === undefined || limit <= WINDOW.width
    case 'max-height':
      return limit === undefined || limit >= WINDOW.height
    case 'min-height':
      return limit === undefined || limit <= WINDOW.height
    case 'width':
    case 'device-width':
      return value !== '' && limit === WINDOW.width
    case 'prefers-color-scheme':
      return value !== 'dark'
    case 'orientation':
      return value !== 'portrait'
    case 'hover':
    case 'any-hover':
    case 'pointer':
    case 'any-pointer':
      return value !== 'none' && value !== 'coarse'
    default:
      return otherFeatureHolds(name, feature)
  }
}

/** Ranges such as `width <= 600px`; a feature that we do not know holds. */
function otherFeatureHolds(name: string, feature: string): boolean {
  const range = /^(width|height)\s*(<=|>=|<|>)\s*([\d.]+[a-z]+)$/.exec(feature)
  if (range !== null) {
    const size = range[1] === 'width' ? WINDOW.width : WINDOW.height
    const limit = parseLength(range[3] ?? '', { fontSize: 16, whole: size }) ?? size
    return range[2]?.startsWith('<') === true ? size <= limit : size >= limit
  }
  if (/^(?:prefers-|forced-colors|inverted-colors|monochrome|grid|print)/.test(name)) return false
  return true
}
