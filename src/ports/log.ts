/** The operator's log: stderr or a file, never stdout. Fields named like secrets are masked by the adapter. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export type LogFields = Readonly<Record<string, unknown>>
