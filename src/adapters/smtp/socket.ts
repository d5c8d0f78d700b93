/**
 * Opens the line to a mail server: TCP, and TLS where it begins with it.
 *
 * INVARIANT: certificates and host names are always verified.
 */
import * as net from 'node:net'
import * as tls from 'node:tls'
import { abortFailure } from './failures.ts'
import { DEFAULTS, type SmtpOptions } from './options.ts'
import { trust } from './trust.ts'

export function openSocket(options: SmtpOptions, signal: AbortSignal): Promise<net.Socket> {
  const { host, port } = options
  const isSecure = options.tls === 'implicit'
  const socket = isSecure
    ? tls.connect({ host, port, ...trust(options), ...(net.isIP(host) === 0 ? { servername: host } : {}) })
    : net.connect({ host, port })
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      socket.removeListener('error', fail).removeListener('close', onClose)
    }
    const fail = (reason: Error): void => {
      leave()
      // A second complaint of a line that is given up is nobody's.
      socket.on('error', () => undefined).destroy()
      reject(reason)
    }
    const onAbort = (): void => fail(abortFailure(signal))
    const onClose = (): void => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    const tooLate = Object.assign(new Error('not reached in time'), { timeoutType: 'CONNECT_TIMEOUT' })
    const timer = setTimeout(() => fail(tooLate), options.connectTimeoutMs ?? DEFAULTS.connectTimeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('error', fail).once('close', onClose)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      leave()
      resolve(socket)
    })
    if (signal.aborted) onAbort()
  })
}
