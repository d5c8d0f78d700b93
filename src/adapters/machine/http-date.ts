/** What time it is for a server that speaks HTTP, by the Date of its answer to nothing in particular. */

/** Milliseconds since 1970, to the second; undefined where it does not say. */
export async function dateOf(url: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal })
    const date = Date.parse(answer.headers.get('date') ?? '')
    return Number.isNaN(date) ? undefined : date
  } catch {
    return undefined
  }
}
