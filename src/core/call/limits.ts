/** What a tool set allows each caller, whatever the configuration says. */
export interface SetLimits {
  /** Under which name they are counted. */
  readonly set: string
  readonly perMinute: number
  readonly perHour: number
  /** Of one tool, in a minute. */
  readonly perTool: Readonly<Record<string, number>>
  /** Longest time one call may take. */
  readonly deadlineMs: number
}
