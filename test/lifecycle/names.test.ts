/** SQLite's package asks Node for a report of the process, which by itself has DNS name whoever is connected. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startScene } from './scene.ts'

/** Notes of every report whether it leaves names out. */
const noting = (file: string): string => `
  const { report } = process
  const written = report.getReport
  report.getReport = (...asked) => {
    require('node:fs').appendFileSync(${JSON.stringify(file)}, report.excludeNetwork + '\\n')
    return written.apply(report, asked)
  }
`

test('nobody asks DNS for the names of those who are connected', async () => {
  const scene = await startScene()
  try {
    const [probe, notes] = [join(scene.directory, 'noting.cjs'), join(scene.directory, 'notes')]
    await writeFile(probe, noting(notes))
    await writeFile(notes, '')
    await scene.greet(['demo', '--stdio'], { NODE_OPTIONS: `--require ${JSON.stringify(probe)}` })
    expect((await readFile(notes, 'utf8')).split('\n').filter((line) => line !== '')).toEqual(['true'])
  } finally {
    await scene.close()
  }
})
