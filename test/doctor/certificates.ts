/** Certificates that are not good any more. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Certificate, makeCertificate } from '../dovecot/certificate.ts'

const run = promisify(execFile)

/** One of an authority that can be trusted, and that ended years ago. */
export async function makeExpiredCertificate(directory: string): Promise<Certificate> {
  const made = await makeCertificate(directory)
  const file = (name: string): string => join(directory, name)
  await writeFile(file('index.txt'), '')
  await writeFile(file('serial'), '01\n')
  await writeFile(
    file('ca.cnf'),
    [
      '[ca]',
      'default_ca = own',
      '[own]',
      `database = ${file('index.txt')}`,
      `serial = ${file('serial')}`,
      `new_certs_dir = ${directory}`,
      `certificate = ${made.caFile}`,
      `private_key = ${file('ca.key')}`,
      'default_md = sha256',
      'policy = any',
      '[any]',
      'commonName = supplied',
      '',
    ].join('\n'),
  )
  const certFile = file('expired.pem')
  const dates = ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z']
  const files = ['-in', file('server.csr'), '-out', certFile, '-extfile', file('names')]
  await run('openssl', ['ca', '-batch', '-notext', '-config', file('ca.cnf'), ...dates, ...files])
  return { ...made, certFile }
}
