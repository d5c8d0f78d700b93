/**
 * What Gmail calls its own mailboxes. Their names follow the language of the account; their special-use attributes and
 * their labels do not. Accounts made in some countries have `[Google Mail]` where others have `[Gmail]`.
 */

export type Place = 'all' | 'drafts' | 'important' | 'sent' | 'spam' | 'starred' | 'trash'

/** The special-use attribute in LIST, and the label in X-GM-LABELS: they differ for four of them. */
export const SPECIAL: Readonly<Record<Place, { readonly attribute: string; readonly label: string | undefined }>> = {
  all: { attribute: '\\All', label: undefined },
  drafts: { attribute: '\\Drafts', label: '\\Draft' },
  important: { attribute: '\\Important', label: '\\Important' },
  sent: { attribute: '\\Sent', label: '\\Sent' },
  spam: { attribute: '\\Junk', label: '\\Spam' },
  starred: { attribute: '\\Flagged', label: '\\Starred' },
  trash: { attribute: '\\Trash', label: '\\Trash' },
}

export const INBOX = '\\Inbox'
export const DRAFT = '\\Draft'
export const STARRED = '\\Starred'
export const TRASH = '\\Trash'
export const SPAM = '\\Spam'

const SYSTEM_LABELS = [INBOX, ...Object.values(SPECIAL).flatMap(({ label }) => label ?? [])]

/** The system label as Gmail writes it, whatever its case; undefined for any other label. */
export function systemLabel(name: string): string | undefined {
  return SYSTEM_LABELS.find((label) => label.toLowerCase() === name.toLowerCase())
}

type Names = Readonly<Record<Place, string>>

const LANGUAGES = {
  en: names('All Mail', 'Drafts', 'Important', 'Sent Mail', 'Spam', 'Starred', 'Trash'),
  'en-GB': names('All Mail', 'Drafts', 'Important', 'Sent Mail', 'Spam', 'Starred', 'Bin'),
  de: names('Alle Nachrichten', 'Entwürfe', 'Wichtig', 'Gesendet', 'Spam', 'Markiert', 'Papierkorb'),
  fr: names('Tous les messages', 'Brouillons', 'Important', 'Messages envoyés', 'Spam', 'Suivis', 'Corbeille'),
  ru: names('Вся почта', 'Черновики', 'Важное', 'Отправленные', 'Спам', 'Помеченные', 'Корзина'),
  ja: names('すべてのメール', '下書き', '重要', '送信済みメール', '迷惑メール', 'スター付き', 'ゴミ箱'),
  'zh-TW': names('全部郵件', '草稿', '重要郵件', '寄件備份', '垃圾郵件', '已加星號', '垃圾桶'),
} satisfies Readonly<Record<string, Names>>

export type Language = keyof typeof LANGUAGES
export type Prefix = '[Gmail]' | '[Google Mail]'

export function mailboxNames(language: Language, prefix: Prefix): Names {
  const own: Names = LANGUAGES[language]
  const at = (place: Place): string => `${prefix}/${own[place]}`
  return {
    all: at('all'),
    drafts: at('drafts'),
    important: at('important'),
    sent: at('sent'),
    spam: at('spam'),
    starred: at('starred'),
    trash: at('trash'),
  }
}

function names(
  all: string,
  drafts: string,
  important: string,
  sent: string,
  spam: string,
  starred: string,
  trash: string,
): Names {
  return { all, drafts, important, sent, spam, starred, trash }
}
