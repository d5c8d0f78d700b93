/** The port that somebody names to listen on. */
import { InvalidArgumentError } from 'commander'

/** 0 for any that is free. */
export function portNumber(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new InvalidArgumentError('A port is a number from 0 to 65535.')
}
