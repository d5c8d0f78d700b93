/**
 * Where links really lead, and whether they say so.
 *
 * INVARIANT: never throws, linear in the size of the link; only `http`, `https` and `mailto` are ever given on.
 */
export type LinkVerdict = 'plain' | 'suspicious' | 'active'

export interface Link {
  readonly verdict: LinkVerdict
  /** The address to show or to follow; absent where there is none that may be. */
  readonly target: string | undefined
}

const MAX_LINK = 8000
const NOWHERE: Link = { verdict: 'plain', target: undefined }

/** `text` is what the reader sees as the link. */
export function readLink(href: string, text: string): Link {
  // Browsers drop line breaks and tabs anywhere in an address, and blanks and controls around it.
  const address = href.replace(/[\t\n\r]+/g, '').replace(/^[\0- ]+|[\0- ]+$/g, '')
  if (address === '' || address.startsWith('#')) return NOWHERE
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.slice(0, 40))?.[1]?.toLowerCase()
  switch (scheme) {
    case 'http':
    case 'https':
      return readWebLink(address, text)
    case 'mailto':
      return readMailLink(address)
    case 'javascript':
    case 'vbscript':
    case 'data':
    case 'livescript':
      return { verdict: 'active', target: undefined }
    case 'tel':
    case 'sms':
    case 'cid':
    case 'mid':
      return NOWHERE
    case undefined:
      return { verdict: /^[/\\]{2}/.test(address) ? 'suspicious' : 'plain', target: undefined }
    default:
      return { verdict: 'suspicious', target: undefined }
  }
}

function readWebLink(address: string, text: string): Link {
  const url = address.length > MAX_LINK ? undefined : parse(address)
  if (url === undefined) return { verdict: 'suspicious', target: undefined }
  const shown = shownHost(text)
  const misleading = shown !== undefined && !sameSite(shown, url.hostname)
  return { verdict: misleading || isSuspiciousUrl(url) ? 'suspicious' : 'plain', target: url.href }
}

/** Only whom to write to: a subject, a text or a hidden copy is nothing the reader chose. */
function readMailLink(address: string): Link {
  const [to = '', query = ''] = address.slice('mailto:'.length, MAX_LINK).split('?')
  const loaded = /(?:^|&)(?:bcc|cc|body|attach|attachment)=/i.test(query)
  const clean = /^[^\s<>"'&]{1,320}$/.test(to) ? `mailto:${to}` : undefined
  return { verdict: loaded ? 'suspicious' : 'plain', target: clean }
}

/** An address that something would be loaded from: a picture, a sheet. */
export type ResourceVerdict = 'inside' | 'remote' | 'suspicious'

export function readResource(address: string): ResourceVerdict {
  const text = address.replace(/[\t\n\r]+/g, '').trim()
  if (/^(?:cid|data|mid|about|blob):/i.test(text) || text === '') return 'inside'
  if (/^(?:file:|\\\\|javascript:)/i.test(text)) return 'suspicious'
  const url = /^(?:https?:|\/\/|\/\\)/i.test(text)
    ? parse(text.slice(0, MAX_LINK), 'http://relative.invalid/')
    : undefined
  return url !== undefined && isInternal(url.hostname) ? 'suspicious' : 'remote'
}

const PICTURES = /!\[[^\][\n]{0,200}\][([]|<img\s[^>\n]{0,200}?\bsrc\s*=/gi

/** How many addresses in plain text lead to a place that they disguise, or are written to be loaded when displayed. */
export function countSuspiciousInText(text: string): number {
  let count = 0
  // Most texts have neither; looking for what cannot be there takes longer than all else that is done with them.
  const pictures = text.includes('![') || text.includes('<') ? (text.match(PICTURES)?.length ?? 0) : 0
  if (!text.includes('://')) return pictures
  for (const [found] of text.matchAll(/\bhttps?:\/\/[^\s<>"']{1,2000}/gi)) {
    const url = parse(found)
    if (url !== undefined && isSuspiciousUrl(url)) count++
  }
  return count + pictures
}

function parse(address: string, base?: string): URL | undefined {
  return URL.parse(address, base) ?? undefined
}

function isSuspiciousUrl(url: URL): boolean {
  if (url.username !== '' || url.password !== '') return true
  return isAddressLiteral(url.hostname) || isInternal(url.hostname) || /(?:^|\.)xn--/.test(url.hostname)
}

function isAddressLiteral(host: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) || host.startsWith('[')
}

function isInternal(host: string): boolean {
  return isAddressLiteral(host) || host === 'localhost' || /\.(?:localhost|internal|local)$/.test(host)
}

const COMMON_ENDINGS = new Set(
  'com net org edu gov mil int info biz name pro app dev shop store online site club xyz top cloud email mail bank'.split(
    ' ',
  ),
)

/** The host that a link's text claims, where it looks like an address. */
function shownHost(text: string): string | undefined {
  const shown = text.trim()
  if (shown.length > 2000) return undefined
  const match = /^(https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+([\p{L}\p{N}-]{2,}))(?::\d+)?(?:[/?#]\S*)?$/iu.exec(shown)
  if (match === null) return undefined
  const ending = (match[3] ?? '').toLowerCase()
  const sure = match[1] !== undefined || shown.toLowerCase().startsWith('www.')
  if (!sure && ending.length !== 2 && !COMMON_ENDINGS.has(ending)) return undefined
  return parse(`http://${match[2]}/`)?.hostname
}

function sameSite(a: string, b: string): boolean {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  const site = shorter.replace(/^www\./, '')
  return longer === shorter || longer === site || longer.endsWith(`.${site}`)
}
