/** Where Postern keeps its state: `POSTERN_DATA_DIR`, else the platform's own place for a user's data. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export function dataDirectory(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform): string {
  const chosen = env['POSTERN_DATA_DIR']?.trim()
  if (chosen) return resolve(chosen)
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Postern')
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'Postern')
  return join(env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'postern')
}
