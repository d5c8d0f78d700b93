/** Which hosts are this machine, and what a host may look like. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i

/** A name, an IPv4 or an IPv6 address; what connecting makes of it is its own business. */
const HOST = /^[\p{L}\p{N}._-]+$|^\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.%a-z]*\]?$/u

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/** Alone: without scheme, port or path. */
export function isHost(text: string): boolean {
  return HOST.test(text)
}
