/**
 * `X-Gmail-Labels`, as Google Takeout writes it: folders, flags and categories in one list, in the owner's language.
 *
 * INVARIANT: every message lands in at least one mailbox. One with labels of its own goes there, and to the archive
 * only when it would otherwise be nowhere.
 */
import { decodeUnstructured } from '../../core/mime/header.ts'
import { type Place, properMailbox } from './mailbox-place.ts'

type Meaning =
  | 'inbox'
  | 'sent'
  | 'drafts'
  | 'spam'
  | 'trash'
  | 'chats'
  | 'archived'
  | 'unread'
  | 'opened'
  | 'starred'
  | 'important'
  | 'nothing'

/** In the languages in which Takeout is asked for most. */
const WORDS: Readonly<Record<Meaning, string>> = {
  inbox: 'Inbox|Posteingang|Boîte de réception|Recibidos|Posta in arrivo|Caixa de entrada|Postvak IN|受信トレイ',
  sent: 'Sent|Gesendet|Envoyés|Messages envoyés|Enviados|Inviati|Posta inviata|Enviadas|Verzonden|送信済み',
  drafts: 'Draft|Drafts|Entwürfe|Brouillons|Borradores|Bozze|Rascunhos|Concepten|下書き',
  spam: 'Spam|迷惑メール',
  trash: 'Trash|Bin|Papierkorb|Corbeille|Papelera|Cestino|Lixeira|Prullenbak|ゴミ箱',
  chats: 'Chat|Chats',
  archived:
    'Archived|Archiviert|Archivé|Archivés|Messages archivés|Archivado|Archivados|Archiviati|Arquivado|Arquivadas|Gearchiveerd|アーカイブ済み',
  unread: 'Unread|Ungelesen|Non lus|Non lu|No leídos|No leído|Da leggere|Non letti|Não lidas|Não lidos|Ongelezen|未読',
  opened: 'Opened|Geöffnet|Ouvert|Ouverts|Abierto|Abiertos|Aperti|Aberto|Abertas|Geopend|開封済み',
  starred: 'Starred|Markiert|Suivis|Messages suivis|Destacados|Speciali|Com estrela|Met ster|スター付き',
  important: 'Important|Wichtig|Importants|Importante|Importantes|Importanti|Belangrijk|重要',
  nothing: 'Muted|Snoozed|Scheduled|Ignoriert|Zurückgestellt',
}
const MEANING = new Map(
  Object.entries(WORDS).flatMap(([meaning, words]) =>
    words.split('|').map((word) => [word.toLowerCase(), meaning as Meaning] as const),
  ),
)
const CATEGORY = /^(?:Category|Kategorie|Catégorie|Categoría|Categoria|Categorie)[\s:"„“”«»]+(.*?)["“”»\s]*$/i

const PLACES: Readonly<Partial<Record<Meaning, string>>> = {
  inbox: 'INBOX',
  sent: 'Sent',
  drafts: 'Drafts',
  spam: 'Spam',
  trash: 'Trash',
  chats: 'Chats',
}
const FLAGS: Readonly<Partial<Record<Meaning, string>>> = {
  starred: '\\Flagged',
  important: '$Important',
  drafts: '\\Draft',
}

export function readGmailLabels(value: string): { places: Place[]; flags: string[] } {
  const labels = splitLabels(decodeUnstructured(value))
  const meanings = labels.map((label) => MEANING.get(label.toLowerCase()))
  const names = labels.flatMap((label, at) => mailboxName(label, meanings[at]))
  const flags = [
    ...(meanings.includes('unread') ? [] : ['\\Seen']),
    ...meanings.flatMap((meaning) => (meaning === undefined ? [] : (FLAGS[meaning] ?? []))),
    ...labels.flatMap(categoryKeyword),
  ]
  const unique = new Map(
    (names.length > 0 ? names : ['Archive']).map(properMailbox).map((place) => [place.mailbox, place]),
  )
  return { places: [...unique.values()], flags: [...new Set(flags)] }
}

function mailboxName(label: string, meaning: Meaning | undefined): string[] {
  if (meaning !== undefined) return [PLACES[meaning] ?? []].flat()
  return CATEGORY.test(label) ? [] : [label]
}

/** `Category Promotions` as the keyword `$CategoryPromotions`; one that no keyword can spell is left out. */
function categoryKeyword(label: string): string[] {
  const name = CATEGORY.exec(label)?.[1]?.replaceAll(/\s+/g, '') ?? ''
  return /^[A-Za-z0-9_-]{1,40}$/.test(name) ? [`$Category${name}`] : []
}

/** Parted by commas; a label that holds one stands in quotes. */
function splitLabels(text: string): string[] {
  const labels = [...text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)]
  return labels
    .map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim())
    .filter((label) => label !== '')
}
