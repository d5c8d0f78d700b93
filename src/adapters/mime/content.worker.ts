/** A worker thread: takes one job after the other, and answers each. It has no environment and nobody's credentials. */
import { getHeapStatistics } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import type { Answer, Job, Output } from './jobs.ts'
import { readFile, readPdf, readSafeHtml, readText } from './read-part.ts'

function answer(message: Answer): void {
  parentPort?.postMessage(message)
}

async function run(job: Job): Promise<Output> {
  switch (job.kind) {
    case 'text':
      return readText(job.part, job.maxChars)
    case 'texts':
      return readAll(job)
    case 'html':
      return await readSafeHtml(job.part, job.maxChars)
    case 'review':
      return (await import('./review-html.ts')).reviewHtml(job.html)
    case 'pdf':
      return await readPdf(job.bytes, job.maxChars)
    default:
      return await readFile(job.kind, job.bytes, job.maxChars)
  }
}

/** Their bytes, which share one buffer, are let go at once: a collector would come for them when many jobs are done. */
function readAll({ parts, maxChars }: Extract<Job, { kind: 'texts' }>): Output {
  const texts = parts.map((part) => readText(part, maxChars))
  const buffer = parts[0]?.bytes.buffer
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  return texts
}

function memory(): number {
  const { total_heap_size, external_memory } = getHeapStatistics()
  return total_heap_size + external_memory
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'
}

parentPort?.on('message', (job: Job) => {
  run(job).then(
    (output) => answer({ kind: 'done', output, memory: memory() }),
    (error: unknown) => answer({ kind: 'failed', reason: reasonOf(error), memory: memory() }),
  )
})

answer({ kind: 'ready', memory: memory() })
