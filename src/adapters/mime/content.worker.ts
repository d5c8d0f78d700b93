/** A worker thread: takes one job after the other, and answers each. It has no environment and nobody's credentials. */
import { parentPort } from 'node:worker_threads'
import type { Readable, SafeHtml } from '../../core/content.ts'
import type { Answer, Job } from './jobs.ts'
import { readPdf, readSafeHtml, readText } from './read-part.ts'

function answer(message: Answer): void {
  parentPort?.postMessage(message)
}

async function run(job: Job): Promise<Readable | SafeHtml> {
  switch (job.kind) {
    case 'text':
      return readText(job.part, job.maxChars)
    case 'html':
      return await readSafeHtml(job.part, job.maxChars)
    case 'pdf':
      return await readPdf(job.bytes, job.maxChars)
  }
}

parentPort?.on('message', (job: Job) => {
  run(job).then(
    (output) => answer({ kind: 'done', output }),
    (error: unknown) =>
      answer({ kind: 'failed', reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' }),
  )
})

answer({ kind: 'ready' })
