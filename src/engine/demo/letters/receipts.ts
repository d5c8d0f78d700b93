/** Receipts and bills: the same few senders, month after month. */
import { dayFrom, dayText, monthText } from '../calendar.ts'
import { Dice } from '../dice.ts'
import { pdfFile } from '../files.ts'
import type { Attachment, Letter } from '../letter.ts'
import { MAYA } from '../people.ts'

const GROCERIES = [
  ['rye bread', 38],
  ['oat milk', 24],
  ['eggs, 12', 49],
  ['potatoes, 2 kg', 32],
  ['coffee, 500 g', 79],
  ['lemons, 4', 22],
  ['cheese, strong', 96],
  ['salmon', 139],
  ['yellow onions', 18],
  ['butter', 62],
  ['strawberries', 55],
  ['soap', 29],
] as const

export function receipts(now: number): Letter[] {
  return [
    ...times(12, (n) => groceries(now, 3.6 + n * 7)),
    ...times(7, (n) => subscription(now, 'matinee', 'Matinee', '129.00 SEK', 14.2 + n * 30.4)),
    ...times(7, (n) => subscription(now, 'loftbox', 'Loftbox 200 GB', '29.00 SEK', 4.9 + n * 30.4)),
    ...times(5, (n) => electricity(now, 12.3 + n * 30.4)),
    ...times(4, (n) => statement(now, 6.8 + n * 30.4)),
    ...ORDERS.map(([item, price, days]) => order(item, price, days)),
  ]
}

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_nothing, n) => make(n))
}

function groceries(now: number, days: number): Letter {
  const dice = new Dice(`groceries ${days}`)
  const bought = GROCERIES.filter(() => dice.roll() < 0.5)
  const total = bought.reduce((sum, [, price]) => sum + price, 0)
  const rows = bought.map(([item, price]) => `<tr><td>${item}</td><td align="right">${price}.00</td></tr>`).join('')
  return {
    id: `korg-${Math.round(days)}`,
    mailbox: 'Receipts',
    days,
    from: 'grocer',
    to: [MAYA],
    subject: `Kvitto från Korg, ${dayText(dayFrom(now, -days))}`,
    text: `Tack för att du handlar hos oss!\n\n${bought.map(([item, price]) => `${item.padEnd(20)} ${price}.00`).join('\n')}\n\nSumma: ${total}.00 kr\n`,
    html: `<html><body style="font-family:sans-serif"><h2>Tack för att du handlar hos oss!</h2><table>${rows}<tr><td><b>Summa</b></td><td align="right"><b>${total}.00 kr</b></td></tr></table></body></html>`,
  }
}

function subscription(now: number, from: string, name: string, price: string, days: number): Letter {
  const month = monthText(dayFrom(now, -days))
  return {
    id: `${from}-${Math.round(days)}`,
    mailbox: 'Receipts',
    days,
    from,
    to: [MAYA],
    subject: `Your receipt for ${name}, ${month}`,
    text: `Hello Maya,\n\nwe charged ${price} to the card ending in 4417 for ${name}, ${month}.\n\nNothing for you to do. You can cancel at any time in your account.\n`,
  }
}

function electricity(now: number, days: number): Letter {
  const dice = new Dice(`electricity ${days}`)
  const [used, invoice] = [dice.between(180, 460), dice.between(40_000, 49_999)]
  const due = dayText(dayFrom(now, 28 - days))
  const amount = `${(used * 1.42 + 96).toFixed(2)} SEK`
  const file: Attachment = {
    filename: `kustkraft-${invoice}.pdf`,
    type: 'application/pdf',
    bytes: pdfFile([
      'Kustkraft AB',
      `Invoice ${invoice}`,
      'Customer: Maya Lindqvist, Gothenburg',
      `Used: ${used} kWh`,
      `To pay: ${amount}`,
      `Due: ${due}`,
    ]),
  }
  return {
    id: `kustkraft-${invoice}`,
    mailbox: days < 20 ? 'INBOX' : 'Receipts',
    days,
    from: 'power',
    to: [MAYA],
    subject: `Faktura ${invoice} från Kustkraft`,
    text: `Hej Maya!\n\nDin faktura finns i bilagan. (In English: your invoice is attached.)\n\nFörbrukning: ${used} kWh\nAtt betala: ${amount}\nFörfallodag: ${due}\n\nKustkraft\n`,
    attachments: [file],
    ...(days < 20 ? { flags: ['\\Flagged'], unread: true } : {}),
  }
}

function statement(now: number, days: number): Letter {
  return {
    id: `havsbanken-${Math.round(days)}`,
    mailbox: 'Receipts',
    days,
    from: 'bank',
    to: [MAYA],
    subject: `Your statement for ${monthText(dayFrom(now, -days - 20))} is ready`,
    text: 'Hello,\n\na new statement is waiting in the bank. For your safety we never send it by mail, never link to the login and never ask for your code.\n\nHavsbanken\n',
    encoding: '7bit',
    charset: 'us-ascii',
  }
}

const ORDERS = [
  ['Reading lamp "Heron", brass', '1,490.00 SEK', 66.3],
  ['Linen shade, 30 cm', '320.00 SEK', 35.2],
  ['Oak shelf bracket, pair', '275.00 SEK', 13.4],
  ['Bulb, warm, 4 W, three pieces', '147.00 SEK', 1.8],
] as const

function order(item: string, price: string, days: number): Letter {
  const number = `LO-${10_000 + Math.round(days * 31)}`
  return {
    id: `order-${number.toLowerCase()}`,
    mailbox: 'Receipts',
    days,
    from: 'shop',
    to: [MAYA],
    subject: `Order ${number} is on its way`,
    text: `Dear Maya,\n\nwe have packed your order ${number}:\n\n  ${item}   ${price}\n\nIt travels in paper and comes in two to four days. Keep the box: we take it back.\n\nLumen & Oak\n`,
    html: `<html><body><p>Dear Maya,</p><p>we have packed your order <b>${number}</b>:</p><p>${item}<br><b>${price}</b></p><p>It travels in paper and comes in two to four days. Keep the box: we take it back.</p><p>Lumen &amp; Oak</p></body></html>`,
    ...(days < 3 ? { unread: true } : {}),
  }
}
