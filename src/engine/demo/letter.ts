/** What a demo message is made from, before it is put into MIME. */
export interface Letter {
  /** What the letters call it among themselves; unique, and nowhere in the mail itself. */
  readonly id: string
  readonly mailbox: string
  /** How long before now it came, in days: the day it came on follows from it. */
  readonly days: number
  /** The hour of that day, where it matters; else it follows from who writes. */
  readonly at?: number
  /** A name out of `people.ts`, or a whole address. */
  readonly from: string
  readonly to: readonly string[]
  readonly cc?: readonly string[]
  readonly subject: string
  /** The id of the letter that this one answers. */
  readonly answers?: string
  readonly text?: string
  readonly html?: string
  readonly attachments?: readonly Attachment[]
  /** Beside the ones that follow from the mailbox and from answers. */
  readonly flags?: readonly string[]
  readonly unread?: boolean
  /** Default utf-8. */
  readonly charset?: string
  readonly encoding?: 'quoted-printable' | 'base64' | '7bit'
  /** What the receiving server found out about the sender; default `pass`. */
  readonly authentication?: 'pass' | 'fail' | 'none'
  readonly headers?: readonly (readonly [string, string])[]
  /** The body as it is, for messages of a kind of their own. */
  readonly body?: BodyPart
}

export interface Attachment {
  readonly filename: string
  readonly type: string
  readonly bytes: Uint8Array
  /** Shown inside the HTML by this id. */
  readonly contentId?: string
}

export type BodyPart =
  | { readonly kind: 'leaf'; readonly headers: readonly (readonly [string, string])[]; readonly content: Uint8Array }
  | { readonly kind: 'multipart'; readonly type: string; readonly children: readonly BodyPart[] }

export interface DemoMessage {
  readonly mailbox: string
  /** RFC 6154 role of the mailbox, where it has one. */
  readonly role?: string
  readonly bytes: Uint8Array
  readonly flags: readonly string[]
  /** Seconds since 1970. */
  readonly received: number
}
