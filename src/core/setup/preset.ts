/**
 * What an agent may do with an account, in plain words and as folders of a policy.
 *
 * INVARIANT: nothing here deletes mail or sends it unasked. Junk is hidden where it is known, mail is not moved into the trash,
 * and drafts go to the folder for drafts only.
 */
import type { Capability } from '../policy/folder.ts'
import type { Level } from '../policy/level.ts'

export type PresetName = 'look' | 'draft' | 'assistant' | 'custom'

export interface Preset {
  readonly name: PresetName
  readonly label: string
  readonly hint: string
}

export const PRESETS: readonly Preset[] = [
  { name: 'look', label: 'Look only', hint: 'reads and searches your mail, changes nothing, sends nothing' },
  { name: 'draft', label: 'Read and draft', hint: 'also writes drafts, which you send yourself' },
  {
    name: 'assistant',
    label: 'Assistant with approved sending',
    hint: 'also marks mail as read, stars and tags it, and sends each message only after you have approved it',
  },
  { name: 'custom', label: 'Custom', hint: 'you choose the folders, how much of them is shown, and what may be done' },
]

/** The folders of an account by what they are for, as paths of a policy. */
export interface FolderRoles {
  readonly drafts?: string
  readonly junk?: string
  readonly trash?: string
}

export interface FolderAccess {
  readonly path: string
  readonly level: Level
  readonly capabilities: readonly Capability[]
  /** Said beside it in the policy. */
  readonly why: string
}

export interface AccessPlan {
  readonly folders: readonly FolderAccess[]
  /** With a person's approval for every letter. */
  readonly sends: boolean
}

export const DEEDS = ['mark', 'file', 'draft', 'send'] as const
export type Deed = (typeof DEEDS)[number]

export interface CustomChoice {
  /** Empty for every folder. */
  readonly folders: readonly string[]
  readonly level: Level
  readonly may: readonly Deed[]
}

const EVERYTHING: CustomChoice = { folders: [], level: 'FULL', may: [] }
const CHOICES: Readonly<Record<Exclude<PresetName, 'custom'>, CustomChoice>> = {
  look: EVERYTHING,
  draft: { ...EVERYTHING, may: ['draft'] },
  assistant: { ...EVERYTHING, may: ['mark', 'file', 'draft', 'send'] },
}

export function choiceOf(preset: Exclude<PresetName, 'custom'>): CustomChoice {
  return CHOICES[preset]
}

export function planFor({ folders, level, may }: CustomChoice, roles: FolderRoles): AccessPlan {
  const plain = capabilitiesOf(may)
  const all = folders.length === 0
  const drafts = may.includes('draft')
    ? draftsFolder(roles, all || folders.includes(roles.drafts ?? 'Drafts'), level)
    : undefined
  const named = all ? ['**', ...(roles.trash === undefined ? [] : [roles.trash])] : [...new Set(folders)]
  const shown = named
    .filter((path) => path !== drafts?.path)
    .map((path) => (path === roles.trash ? trashFolder(path, level, plain) : shownFolder(path, level, plain)))
  return {
    folders: [
      ...shown,
      ...(drafts === undefined ? [] : [drafts]),
      ...(all && roles.junk !== undefined ? [hiddenFolder(roles.junk)] : []),
    ],
    sends: may.includes('send'),
  }
}

function shownFolder(path: string, level: Level, capabilities: readonly Capability[]): FolderAccess {
  return { path, level, capabilities, why: path === '**' ? 'every folder that is not named here' : '' }
}

function capabilitiesOf(may: readonly Deed[]): readonly Capability[] {
  return [
    ...(may.includes('mark') ? (['mark_seen', 'mark_tagged'] as const) : []),
    ...(may.includes('file') ? (['move_out', 'accept_incoming'] as const) : []),
  ]
}

function draftsFolder({ drafts = 'Drafts' }: FolderRoles, isShown: boolean, level: Level): FolderAccess {
  return {
    path: drafts,
    level: isShown ? level : 'NONE',
    capabilities: ['draft_append'],
    why: 'where drafts go; you send them yourself',
  }
}

/** What is there may be looked at and taken out again. */
function trashFolder(path: string, level: Level, plain: readonly Capability[]): FolderAccess {
  const capabilities = plain.filter((capability) => capability !== 'accept_incoming')
  return { path, level, capabilities, why: 'accept_incoming: true would let mail be thrown away' }
}

function hiddenFolder(path: string): FolderAccess {
  return { path, level: 'NONE', capabilities: [], why: 'junk is written to mislead, so it is hidden' }
}
