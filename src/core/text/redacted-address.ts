/** An address so that its owner would know it, and nobody else could write to it: `j***@example.com`. */
export function redactedAddress(address: string): string {
  const [bare = address] = /[^<\s]+@[^>\s]+(?=>?\s*$)/.exec(address) ?? []
  const at = bare.lastIndexOf('@')
  if (at < 1) return '***'
  const domain = bare.slice(at + 1).replace(/[^A-Za-z0-9.:[\]-]/g, '')
  const [first = ''] = bare
  return `${/[A-Za-z0-9]/.test(first) ? first : ''}***@${domain.slice(0, 253)}`
}
