import { expect, test } from 'vitest'
import { GoogleFolders, googleNameIn, isGoogleName } from './google-folders.ts'
import type { Mailbox } from './message.ts'

function box(name: string, ...attributes: string[]): Mailbox {
  return { name, delimiter: '/', role: undefined, selectable: !attributes.includes('\\Noselect'), attributes }
}

const GERMAN = [
  box('INBOX'),
  box('[Gmail]', '\\HasChildren', '\\Noselect'),
  box('[Gmail]/Alle Nachrichten', '\\All'),
  box('[Gmail]/Entwürfe', '\\Drafts', '\\HasNoChildren'),
  box('[Gmail]/Gesendet', '\\Sent'),
  box('[Gmail]/Markiert', '\\Flagged'),
  box('[Gmail]/Papierkorb', '\\Trash'),
  box('[Gmail]/Spam', '\\Junk'),
  box('[Gmail]/Wichtig', '\\IMPORTANT'),
]

test.each([
  ['All Mail', 'Alle Nachrichten'],
  ['Drafts', 'Entwürfe'],
  ['Important', 'Wichtig'],
  ['Sent Mail', 'Gesendet'],
  ['Spam', 'Spam'],
  ['Starred', 'Markiert'],
  ['Trash', 'Papierkorb'],
])('%s is %s in German', (english, own) => {
  const folders = new GoogleFolders(GERMAN, true)
  for (const prefix of ['[Gmail]', '[Google Mail]']) {
    expect(isGoogleName(`${prefix}/${english}`)).toBe(true)
    expect(folders.named(`${prefix}/${english}`)).toBe(`[Gmail]/${own}`)
  }
})

test('any other name stays as it is', () => {
  const folders = new GoogleFolders(GERMAN, true)
  for (const name of [
    'INBOX',
    'Drafts',
    '[gmail]/Drafts',
    '[Gmail]/Drafts/Below',
    '[Gmail]/Entwürfe',
    '[Gmail]/__proto__',
  ]) {
    expect([isGoogleName(name), folders.named(name)]).toEqual([false, name])
  }
  expect(googleNameIn(' [gmail]/DRAFTS ')).toBe('[Gmail]/Drafts')
})

test('a folder that really has the name wins, also one that cannot be opened', () => {
  for (const real of [box('[Gmail]/Drafts'), box('[Gmail]/Drafts', '\\Noselect')]) {
    const folders = new GoogleFolders([...GERMAN, real], true)
    expect(folders.named('[Gmail]/Drafts')).toBe('[Gmail]/Drafts')
    expect(folders.englishFor('[Gmail]/Entwürfe')).toEqual(['[Google Mail]/Drafts'])
  }
})

test('the English names of a folder, its own prefix first, however its accents are written', () => {
  const british = GERMAN.map(({ name, attributes }) => box(name.replace('[Gmail]', '[Google Mail]'), ...attributes))
  const names = ['[Gmail]/Drafts', '[Google Mail]/Drafts']
  expect(new GoogleFolders(GERMAN, true).englishFor('[Gmail]/Entwu\u0308rfe')).toEqual(names)
  expect(new GoogleFolders(british, true).englishFor('[Google Mail]/Entwürfe')).toEqual(names.toReversed())
})

test('folders outside [Gmail] count only on an account that is known to be Google', () => {
  const plain = [box('INBOX'), box('Drafts', '\\Drafts')]
  expect(new GoogleFolders(plain, true).named('[Gmail]/Drafts')).toBe('Drafts')
  expect(new GoogleFolders(plain, false).named('[Gmail]/Drafts')).toBe('[Gmail]/Drafts')
  expect(new GoogleFolders(GERMAN, false).named('[Gmail]/Drafts')).toBe('[Gmail]/Entwürfe')
})
