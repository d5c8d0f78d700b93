import { expect, test } from 'vitest'
import { ROLE_NAMES } from './mailbox-role-names.ts'
import { withRoles } from './mailbox-roles.ts'
import type { Mailbox } from './message.ts'

function box(name: string, role?: string, selectable = true): Mailbox {
  return { name, delimiter: '.', role, selectable, attributes: [] }
}

const rolesOf = (...boxes: Mailbox[]): Record<string, string | undefined> =>
  Object.fromEntries(withRoles(boxes).map(({ name, role }) => [name, role]))

test('a name says what a folder is for where the server does not', () => {
  expect(rolesOf(box('INBOX'), box('Junk'), box('Sent Items'), box('DRAFTS'), box('INBOX.Trash'))).toEqual({
    INBOX: undefined,
    Junk: 'junk',
    'Sent Items': 'sent',
    DRAFTS: 'drafts',
    'INBOX.Trash': 'trash',
  })
})

test('what the server says counts', () => {
  expect(rolesOf(box('Spam'), box('Bulk', 'junk'))).toEqual({ Spam: undefined, Bulk: 'junk' })
})

test('one folder for each use, by its most usual name', () => {
  expect(rolesOf(box('Spam'), box('Junk'))).toEqual({ Spam: undefined, Junk: 'junk' })
  expect(rolesOf(box('Drafts', undefined, false), box('Old.Drafts'))).toEqual({
    Drafts: undefined,
    'Old.Drafts': undefined,
  })
})

test.each([
  ['Отправленные', 'Черновики', 'Корзина', 'Спам'],
  ['送信済みアイテム', '下書き', '削除済みアイテム', '迷惑メール'],
  ['已发送', '草稿箱', '已删除', '垃圾邮件'],
  ['العناصر المرسلة', 'المسودات', 'العناصر المحذوفة', 'البريد العشوائي'],
  ['Gesendete Elemente', 'Entwu\u0308rfe', 'GELÖSCHTE ELEMENTE', 'INBOX.Junk-E-Mail'],
])('also in other languages: %s, %s, %s, %s', (...names) => {
  expect(Object.values(rolesOf(...names.map((name) => box(name))))).toEqual(['sent', 'drafts', 'trash', 'junk'])
})

test('names of other languages come after those that everybody knows', () => {
  expect(rolesOf(box('Отправленные'), box('Sent'))).toEqual({ Отправленные: undefined, Sent: 'sent' })
})

test('each name says one thing, and is written as it is looked for', () => {
  const all = Object.values(ROLE_NAMES).flat()
  expect(all).toEqual(all.map((name) => name.trim().toLowerCase().normalize('NFC')))
  expect(new Set(all).size).toBe(all.length)
})
