/**
 * What an examination can look at, in facts. What they mean is for the checks to say.
 *
 * INVARIANT: looking changes nothing: no file is made that was not there, no mail is touched, nothing is sent. No fact holds a
 * secret.
 */
import type { Verification } from '../../core/audit/verify.ts'
import type { Line } from './line.ts'

export interface World {
  /** Milliseconds since 1970, by this machine's clock. */
  now(): number
  runtime(): Promise<Runtime>
  readonly configuration: Configuration
  /** Variables that look like settings of ours and are none, and those whose value is not understood. */
  readonly strays: readonly Stray[]
  secrets(): Promise<readonly SecretLook[]>
  readonly servers: readonly Server[]
  readonly grants: readonly Grant[]
  /** What other clocks say, where any could be asked. */
  otherClocks(signal: AbortSignal): Promise<readonly OtherClock[]>
  /** Where state lives. */
  directory(): Promise<Place>
  /** Bytes that are left for it; undefined where nobody can tell. */
  freeBytes(): Promise<number | undefined>
  /** Each file of the data directory that no other fact tells of. */
  files(): Promise<readonly FileLook[]>
  /** The directories in which attachments are saved. */
  attachments(): Promise<readonly AttachmentsLook[]>
  readonly mirrors: readonly MirrorLook[]
  audit(signal: AbortSignal): Promise<AuditLook>
  /** Undefined where nothing could ever be approved. */
  vault(): Promise<VaultLook | undefined>
  readonly sending: Sending
  /** Undefined where there never was a letter. */
  letters(): Promise<Letters | undefined>
  /** Ids of moves between accounts that need a person; undefined where there never was a move. */
  stuckTransfers(): Promise<readonly string[] | undefined>
  port(signal: AbortSignal): Promise<PortLook>
  clients(): Promise<readonly ClientFile[]>
  /** Accounts that live in a file and have none yet. */
  readonly emptyAccounts: readonly string[]
}

export interface Runtime {
  readonly node: string
  readonly needed: string
  /** Packages that are part of an installation and cannot be loaded. */
  readonly unloadable: readonly string[]
}

export type Configuration =
  | { readonly kind: 'none' }
  | { readonly kind: 'environment'; readonly accounts: number }
  | {
      readonly kind: 'tree'
      readonly directory: string
      readonly accounts: number
      readonly callers: number
      readonly warnings: readonly string[]
    }
  /** `where` is the directory of a tree, or the environment. */
  | { readonly kind: 'unusable'; readonly where: string; readonly problems: readonly string[] }

export interface Stray {
  readonly name: string
  readonly why: string
  /** What was probably meant. */
  readonly meant?: string
}

export interface SecretLook {
  /** Whose it is: `account "work"`. */
  readonly whose: string
  /** Why it cannot be used; absent where it can. */
  readonly problem?: string
  /** What to do about the problem, where more than the problem itself says it. */
  readonly cure?: string
  /** What an operator should know of how it is kept. */
  readonly warnings: readonly string[]
}

/** How a server of an account is named in its configuration, for cures. */
export interface Settings {
  readonly host: string
  readonly port: string
  readonly tls: string
  readonly password: string
  readonly authority: string
}

export interface Server {
  readonly account: string
  readonly protocol: 'imap' | 'smtp' | 'http'
  readonly host: string
  readonly port: number
  readonly tls: 'implicit' | 'starttls' | 'none'
  readonly isOAuth: boolean
  readonly settings: Settings
  /** Looked at once, however often it is asked for. */
  line(signal: AbortSignal): Promise<Line>
  /** Whether what it logs in with is there; another check tells where it is not. */
  isReady(): Promise<boolean>
  /** Logs in, once; what an IMAP server can do, upper case. */
  logIn(signal: AbortSignal): Promise<readonly string[]>
}

export interface Grant {
  readonly account: string
  state(): Promise<GrantState>
}

export type GrantState =
  | { readonly kind: 'stands' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused' }
  /** Nothing could ever be granted: the client or the store is not set up. */
  | { readonly kind: 'impossible'; readonly why: string }

export interface OtherClock {
  readonly whose: string
  /** How far ahead of ours, in milliseconds. */
  readonly aheadMs: number
  /** A moment that has certainly passed there: it says something only where it is ahead. */
  readonly isPast: boolean
}

export interface Place {
  readonly path: string
  readonly kind: 'missing' | 'directory' | 'file' | 'link' | 'other'
  /** Of the path itself, or of the directory in which it would be made. */
  readonly isWritable: boolean
  /** Why not, as a sentence goes on after "because". */
  readonly why?: string
  /** Whether other users of this machine can look into it, or put something there. */
  readonly othersRead: boolean
  readonly othersWrite: boolean
}

export interface FileLook {
  readonly path: string
  /** For people. */
  readonly holds: string
  readonly state: FileState
  /** The file, and what has to go with it where it goes. */
  readonly move: readonly string[]
  /** What is lost without it. */
  readonly without: string
}

/** `empty` is said of files that hold something once they are made. */
export type FileState =
  | 'sound'
  | 'empty'
  | 'damaged'
  | 'foreign'
  | 'newer'
  | 'no_file'
  | 'no_folder'
  | 'forbidden'
  | 'open_to_others'

export interface AttachmentsLook {
  readonly directory: string
  readonly files: number
  readonly bytes: number
  /** When the oldest was saved; absent where there is none. */
  readonly oldest: number | undefined
  /** Whether they go after an hour. */
  readonly isTemporary: boolean
  readonly othersRead: boolean
}

export interface MirrorLook {
  readonly account: string
  /** A damaged one that was set aside when it was built again. */
  setAside?(): Promise<string | undefined>
  state(): Promise<MirrorState>
}

export type MirrorState =
  | { readonly kind: 'none' }
  | { readonly kind: 'newer' | 'older' | 'damaged' }
  | { readonly kind: 'unusable'; readonly why: string }
  | {
      readonly kind: 'usable'
      readonly folders: number
      readonly messages: number
      /** When the folder that was looked at last was. */
      readonly checkedAt: number | undefined
      /** Who writes it at this moment. */
      readonly holder: Holder | undefined
    }

export interface Holder {
  /** Undefined where the system does not tell. */
  readonly pid: number | undefined
  /** Held by a signal: it goes on with nothing, and lets go of nothing. */
  readonly isStopped: boolean
}

export type AuditLook =
  | { readonly kind: 'none' }
  | { readonly kind: 'verified'; readonly verification: Verification; readonly directory: string }
  | { readonly kind: 'unreadable'; readonly why: string; readonly directory: string }
  /** It is too long to be read here. */
  | { readonly kind: 'unfinished' }

export interface VaultLook extends Place {
  /** Of its folders, those that are links or no folders. */
  readonly unfit: readonly string[]
}

export interface Sending {
  /** Accounts that letters can leave from. */
  readonly accounts: readonly string[]
  /** Nothing leaves from a server that is started with our own variables. */
  readonly devMode: boolean
}

export interface Letters {
  readonly waiting: readonly string[]
  readonly needOperator: readonly string[]
}

export interface PortLook {
  readonly host: string
  readonly port: number
  readonly state: 'free' | 'ours' | 'taken' | 'forbidden' | 'no_such_address'
  /** Whether anything here is set up for HTTP: otherwise it may never be used. */
  readonly isWanted: boolean
}

/** A file in which a program that uses MCP servers names them. */
export interface ClientFile {
  readonly client: string
  /** The word that `postern client add` knows it by. */
  readonly word: string
  readonly path: string
  /** Why the file cannot be understood. */
  readonly problem?: string
  /** Those that are us; none where the program is here and its file is not, or is no JSON. */
  readonly servers: readonly ClientServer[]
}

export interface ClientServer {
  readonly name: string
  /** Files and programs that it names and that are not there. */
  readonly missing: readonly string[]
  /** A program of another installation than this one. */
  readonly elsewhere?: string
  /** The address it connects to, where nobody answers. */
  readonly unanswered?: string
  /** Whether it is started so that letters may leave. */
  readonly letsGo?: boolean
}
