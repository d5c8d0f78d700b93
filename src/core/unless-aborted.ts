/** What the work comes to, or undefined once the signal has aborted. The work goes on either way. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const left = Promise.withResolvers<undefined>()
  const leave = (): void => left.resolve(undefined)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    return await Promise.race([work, left.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
