/** The five pages. */
import type { JSX } from 'preact'
import { addressOf, PAGES, type PageName } from '../route.ts'

export const TITLES: Readonly<Record<PageName, string>> = {
  outbox: 'Outbox',
  activity: 'Activity',
  access: 'Access',
  accounts: 'Accounts',
  transfers: 'Transfers',
}

/** Drawn on 20 by 20, with a line. */
const SHAPES: Readonly<Record<PageName, string>> = {
  outbox: 'M3 11h4l1.5 2.5h3L13 11h4M3 11v5h14v-5L14.500 4h-9zM10 3.500v5M8 6.500l2 2 2-2',
  activity: 'M3 5h14M3 10h9M3 15h12',
  access: 'M5 9h10v8H5zM7 9V6.500a3 3 0 0 1 6 0V9M10 12.500v1.500',
  accounts: 'M3 5h14v10H3zM3 6l7 5 7-5',
  transfers: 'M4 7h11l-3-3M16 13H5l3 3',
}

interface NavigationProps {
  readonly page: PageName
  readonly counts: Partial<Record<PageName, number>>
}

export function Navigation({ page, counts }: NavigationProps): JSX.Element {
  return (
    <nav aria-label="Pages">
      <ul>
        {PAGES.map((name) => (
          <li key={name}>
            <a href={addressOf(name)} aria-current={name === page ? 'page' : undefined}>
              <svg viewBox="0 0 20 20" aria-hidden="true">
                <path d={SHAPES[name]} />
              </svg>
              <span>{TITLES[name]}</span>
              <Count number={counts[name] ?? 0} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Count({ number }: { readonly number: number }): JSX.Element | null {
  if (number === 0) return null
  return (
    <span class="count">
      {number > 99 ? '99+' : number}
      <span class="unseen"> waiting</span>
    </span>
  )
}
