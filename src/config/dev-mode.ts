/**
 * `DEV_MODE`: whether letters and drafts are only noted.
 *
 * INVARIANT: on unless somebody plainly turned it off. A slip of the pen lets nothing out.
 */
const OFF = ['false', '0', 'no', 'off']

export function readDevMode(env: Readonly<Record<string, string | undefined>>): boolean {
  return !OFF.includes(env['DEV_MODE']?.trim().toLowerCase() ?? '')
}
