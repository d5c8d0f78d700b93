/** Variables that somebody set for us and that mean nothing. */
import type { Check } from '../check.ts'
import { warning } from '../finding.ts'

export const variablesCheck: Check = {
  name: 'variables',
  looksAt: 'environment variables that look like settings',
  run: async ({ strays }) =>
    strays.map(({ name, why, meant }) => {
      const cure = meant === undefined ? `remove ${name}` : `rename it: ${meant}`
      return warning(`${name} ${why}`, meant?.includes(' ') ? meant : cure)
    }),
}
