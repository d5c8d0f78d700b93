/** `audit` of accounts.yaml: where the record is kept, and for how long. */
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { Fields } from './fields.ts'
import { readPath, type Surroundings } from './surroundings.ts'
import type { AuditSettings } from './tree.ts'

export const AUDIT_KEYS = ['directory', 'hot_days', 'warm_days', 'delete_after_days', 'external_root_hook']
const HOT = 90
const KEPT = 365
const CENTURY = 36_500

export function readAudit(fields: Fields, around: Surroundings): AuditSettings {
  const directory = join(around.dataDirectory, 'audit')
  const audit = fields.fields('audit', 'audit', AUDIT_KEYS)
  if (audit === undefined)
    return { directory, ...daysFrom(undefined, undefined, undefined), externalRootHook: undefined }
  return {
    directory: readPath(audit, 'directory', around) ?? directory,
    ...readDays(audit),
    externalRootHook: readHook(audit, around),
  }
}

type Days = Pick<AuditSettings, 'hotDays' | 'warmDays' | 'deleteAfterDays'>

function readDays(audit: Fields): Days {
  const days = daysFrom(
    audit.whole('hot_days', 1, CENTURY),
    audit.whole('warm_days', 0, CENTURY),
    audit.whole('delete_after_days', 1, CENTURY),
  )
  if (days.hotDays + days.warmDays > days.deleteAfterDays) {
    const least = days.hotDays + days.warmDays
    audit.problem(
      'delete_after_days',
      `delete_after_days is the whole age, and less than hot_days and warm_days together; write ${least} or more instead`,
    )
  }
  return days
}

/** What is not written follows from what is, so that one number alone never contradicts a default. */
function daysFrom(hot: number | undefined, warm: number | undefined, kept: number | undefined): Days {
  const hotDays = hot ?? Math.max(1, Math.min(HOT, (kept ?? KEPT) - (warm ?? 0)))
  const warmDays = warm ?? Math.max(0, (kept ?? KEPT) - hotDays)
  return { hotDays, warmDays, deleteAfterDays: kept ?? Math.max(KEPT, hotDays + warmDays) }
}

/** It may be installed later than the tree, so its absence is told and stops nothing. */
function readHook(audit: Fields, around: Surroundings): string | undefined {
  const hook = readPath(audit, 'external_root_hook', around)
  if (hook === undefined) return undefined
  try {
    accessSync(hook, constants.X_OK)
  } catch {
    audit.warn(
      'external_root_hook',
      'external_root_hook names no program that can be run; no root is reported until it does',
    )
  }
  return hook
}
