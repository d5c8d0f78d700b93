/** Which page is open: what stands behind `#` in the address, so that one file serves them all. */
import { useLayoutEffect, useState } from 'preact/hooks'

export const PAGES = ['outbox', 'activity', 'access', 'accounts', 'transfers'] as const

export type PageName = (typeof PAGES)[number]

export interface Route {
  readonly page: PageName
  /** The one thing that is open on it. */
  readonly id: string | undefined
}

export function routeOf(hash: string): Route {
  const [, page, id] = hash.replace(/^#/, '').split('/')
  const known = PAGES.find((name) => name === page)
  return { page: known ?? 'outbox', id: known === undefined || !id ? undefined : decoded(id) }
}

export function addressOf(page: PageName, id?: string): string {
  return id === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`
}

export function go(page: PageName, id?: string): void {
  location.hash = addressOf(page, id)
}

/** As `go`, but going back does not come by here. */
export function goInstead(page: PageName, id?: string): void {
  location.replace(addressOf(page, id))
}

export function useRoute(): Route {
  const [route, show] = useState(() => routeOf(location.hash))
  // Before anything is painted: whoever can see the page can go elsewhere.
  useLayoutEffect(() => {
    const changed = (): void => show(routeOf(location.hash))
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return route
}

function decoded(id: string): string | undefined {
  try {
    return decodeURIComponent(id)
  } catch {
    return undefined
  }
}
