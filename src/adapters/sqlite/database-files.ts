/** The one place in which databases are opened. */
import type { DatabaseFiles } from '../../ports/database-files.ts'
import { SqliteFile } from './sqlite-file.ts'

export const databaseFiles: DatabaseFiles = {
  file: (path, kind) => new SqliteFile(path, kind),
}
