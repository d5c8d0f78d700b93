/** Every group of techniques, and of ordinary mail. */
import type { Group } from '../cases.ts'
import { blending } from './blending.ts'
import { cascade } from './cascade.ts'
import { clipping } from './clipping.ts'
import { colours } from './colours.ts'
import { conditions } from './conditions.ts'
import { edges } from './edges.ts'
import { embedded } from './embedded.ts'
import { moved } from './moved.ts'
import { idioms } from './ordinary.ts'
import { overlays } from './overlays.ts'
import { structure } from './structure.ts'
import { text } from './text.ts'
import { values } from './values.ts'

export const TECHNIQUES: readonly Group[] = [
  overlays,
  clipping,
  moved,
  blending,
  conditions,
  values,
  colours,
  structure,
  embedded,
  cascade,
  text,
  edges,
]

export const ORDINARY: readonly Group[] = [idioms]
