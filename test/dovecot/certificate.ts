/** A certificate authority of our own and a server certificate for localhost, made anew for each server. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Certificate {
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/** `names` as openssl writes alternative names. */
export async function makeCertificate(dir: string, names = 'DNS:localhost,IP:127.0.0.1'): Promise<Certificate> {
  const file = (name: string): string => join(dir, name)
  const made = { caFile: file('ca.pem'), certFile: file('server.pem'), keyFile: file('server.key') }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const quick = ['-days', '2', '-sha256']
  await openssl([
    'req',
    '-x509',
    ...key,
    '-keyout',
    file('ca.key'),
    '-out',
    made.caFile,
    ...quick,
    '-subj',
    '/CN=test authority',
  ])
  await openssl(['req', ...key, '-keyout', made.keyFile, '-out', file('server.csr'), '-subj', '/CN=test server'])
  await writeFile(file('names'), `subjectAltName=${names}\nbasicConstraints=CA:FALSE\n`)
  const authority = ['-CA', made.caFile, '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('names')]
  await openssl(['x509', '-req', '-in', file('server.csr'), '-out', made.certFile, ...authority, ...quick])
  return made
}

async function openssl(args: readonly string[]): Promise<void> {
  try {
    await run('openssl', args)
  } catch (error) {
    throw new Error('tests with TLS need the openssl command (apt-get install openssl)', { cause: error })
  }
}
