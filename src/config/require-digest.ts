/**
 * `POSTERN_REQUIRE_DIGEST`: whether, for accounts of the environment, an approval file must name the digest of the message, so
 * that files written by hand count for nothing. In a configuration tree the policy says so.
 *
 * INVARIANT: a value that is not understood counts as true: a typing error never makes approval easier.
 */
const OFF = ['', 'false', '0', 'no', 'off']

export function readRequireDigest(env: Readonly<Record<string, string | undefined>>): boolean {
  return !OFF.includes(env['POSTERN_REQUIRE_DIGEST']?.trim().toLowerCase() ?? '')
}
