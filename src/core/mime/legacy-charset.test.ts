import { expect, test } from 'vitest'
import { decodeGuessed } from './bytes.ts'

const hex = (digits: string): Uint8Array => Buffer.from(digits.replaceAll(' ', ''), 'hex')
const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1')

test.each([
  ['KOI8-R', 'd4 c5 cd c1 20 f0 c9 d3 d8 cd cf', 'тема Письмо'],
  ['windows-1251', 'd0 e0 f1 f1 fb eb ea e0', 'Рассылка'],
  ['windows-1251 in capitals', 'd0 c0 d1 d1 db cb ca c0 20 cd ce c2 ce d1 d2 c5 c9', 'РАССЫЛКА НОВОСТЕЙ'],
  ['a short name in KOI8-R', 'e1 ce ce c1', 'Анна'],
  ['a short name in GBK', 'c0 ee c0 d7', '李雷'],
  ['GBK', 'd6 d0 ce c4 a3 ba c4 e3 ba c3', '中文：你好'],
  ['GBK beside ASCII', '52 65 3a d6 d0 ce c4 2e 74 78 74', 'Re:中文.txt'],
  ['EUC-KR', 'b8 e1 b7 d0 20 c0 cc bf eb be e0 b0 fc', '멜론 이용약관'],
  ['UTF-8', 'd1 82 d0 b5 d0 bc d0 b0', 'тема'],
])('%s is told by its bytes', (_charset, bytes, text) => {
  expect(decodeGuessed(hex(bytes))).toBe(text)
})

test.each([
  'Grüße aus Köln, Straße 5',
  'créée à Liège, où l’été',
  'INFORMAÇÃO: AÇÕES E SITUAÇÕES',
  'atenção às informações',
  'Ærøskøbing på Fyn',
  '¿Qué pasó en España? ¡Adiós!',
  '£££',
])('%s stays latin-1', (text) => {
  const written = text.replaceAll('’', "'")
  expect(decodeGuessed(latin(written))).toBe(written)
})

test('Greek and Hebrew are not taken for Russian', () => {
  // Καλημέρα κόσμε in windows-1253, שלום עולם in windows-1255.
  for (const bytes of ['ca e1 eb e7 ec dd f1 e1 20 ea fc f3 ec e5', 'f9 ec e5 ed 20 f2 e5 ec ed']) {
    expect(decodeGuessed(hex(bytes))).toBe(new TextDecoder('windows-1252').decode(hex(bytes)))
  }
})
