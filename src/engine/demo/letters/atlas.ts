/** The Atlas House: a harbour warehouse in Gothenburg becomes a public library of maps. */
import { fillDays } from '../calendar.ts'
import { ascii } from '../encodings.ts'
import { pdfFile, pngFile, zipFile } from '../files.ts'
import type { Letter } from '../letter.ts'
import { type Files, readLetters } from '../read-letters.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const COSTS = `item,quantity,unit,price_sek
larch cladding,412,m2,389000
roof lights,9,piece,171900
acoustic felt,260,m2,62400
map drawers,118,piece,295000
stair steel,1,lot,148500
`

const FILES: Files = {
  'minutes.pdf': () => ({
    filename: 'Atlas House - minutes 1.pdf',
    type: 'application/pdf',
    bytes: pdfFile([
      'Atlas House: minutes of the first meeting',
      'Present: Agneta Forsell, Idris Bekele, Petra Holm, Maya Lindqvist',
      '1. The reading room faces the water. The map drawers go to the north wall.',
      '2. Budget: 14.2 million SEK, of which 1.1 million are for fittings.',
      '3. The roof lights need an answer from the engineer before the tender.',
      '4. Opening: the second Saturday after the scaffold is down.',
    ]),
  }),
  'costs.csv': () => ({ filename: 'atlas-costs.csv', type: 'text/csv', bytes: ascii(COSTS) }),
  'section.png': () => ({
    filename: 'section-a.png',
    type: 'image/png',
    bytes: pngFile(96, 60, (x, y) =>
      y > 46 ? [62, 96, 120] : y > 18 + Math.abs(x - 48) / 3 ? [196, 150, 104] : [232, 236, 238],
    ),
  }),
  'drawings.zip': () => ({
    filename: 'drawings-2.zip',
    type: 'application/zip',
    bytes: zipFile([
      ['README.txt', utf8('Drawings, second issue. Everything in millimetres.\n')],
      ['costs.csv', utf8(COSTS)],
      [
        'stair.svg',
        utf8(
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><path d="M0 30h10v-8h10v-8h10v-8h10" fill="none" stroke="#333"/></svg>\n',
        ),
      ],
    ]),
  }),
  'statik.pdf': () => ({
    filename: 'Statik Dachöffnungen.pdf',
    type: 'application/pdf',
    bytes: pdfFile([
      'Statik Dach\u00F6ffnungen, Atlas House',
      'Tr\u00E4ger T4 bis T12: Ausnutzung 0,81',
      'Schneelast 2,0 kN/m2, Wind Zone 3',
      'Ergebnis: neun \u00D6ffnungen zul\u00E4ssig, zehnte nicht.',
    ]),
  }),
  'offer.pdf': () => ({
    filename: 'Offer 2291 larch.pdf',
    type: 'application/pdf',
    bytes: pdfFile([
      'Achterberg Timber: offer 2291',
      '412 m2 larch cladding, 21 mm, untreated',
      '389,000 SEK delivered to Gothenburg, eleven weeks',
      'Valid for thirty days.',
    ]),
  }),
}

const TEXT = `
--- atlas-kickoff | 63.4 | Projects/Atlas | idris > maya, petra, wilma, cc:agneta | at:7:52
Atlas House: kick-off on {weekday -60}

Morning all,

we have the keys. {weekday -60} at 10 we walk through the warehouse with Agneta from the foundation, then sit down in the old weigh-house next door, which has a stove and a table. Bring boots: the ground floor still has a hand's width of harbour in it.

What I would like to leave with: where the map drawers go, whether the roof can take light from above, and who talks to the city about the quay.

Idris
--- atlas-kickoff-2 | 63.2 | Sent | maya > idris, petra, wilma, cc:agneta | re:atlas-kickoff

I'll take the city. I know who sits in the harbour office and what biscuits she likes.

On the drawers: 118 of them at 31 kg each when full. North wall or nowhere.

Maya
--- atlas-kickoff-3 | 63.1 | Projects/Atlas | petra > maya, idris, wilma | re:atlas-kickoff-2

North wall then. I'll check the slab. Boots noted.

P.
--- atlas-minutes | 58.7 | Projects/Atlas | wilma > maya, idris, petra, agneta | file:minutes.pdf re:atlas-kickoff-3
Minutes of {weekday -60}

Hi,

minutes attached. Two things with my name on them: the measured survey, and finding out why there is a bathtub on the second floor.

Wilma
--- atlas-bathtub | 57.9 | Projects/Atlas | agneta > wilma, maya | re:atlas-minutes
Re: Minutes of {weekday -60} (the bathtub)

Dear Wilma, dear Maya,

the bathtub was for wetting paper. Until 1961 the top floor printed sea charts, and the sheets were dampened before the press. Please keep it. I would like it in the children's corner, filled with cushions.

Warmly,
Agneta Forsell
--- atlas-roof | 49.3 | Projects/Atlas | jochen > maya, cc:petra | file:statik.pdf
Dachöffnungen: Ergebnis der Prüfung

Liebe Frau Lindqvist,

anbei die Statik. Kurz gefasst: neun Öffnungen gehen, die zehnte nicht, weil Träger T13 schon einmal geflickt wurde, vermutlich nach dem Brand. Wenn Sie auf der zehnten bestehen, brauchen wir einen Stahlrahmen, und der kostet mehr als das Licht, das er hereinlässt.

Für die Lesesaalseite empfehle ich, die Öffnungen um 40 cm nach Süden zu rücken. Dann fällt die Mittagssonne nicht auf die Karten.

Mit freundlichen Grüßen
Jochen Wiedemann
--- atlas-roof-2 | 48.9 | Sent | maya > jochen, cc:petra | re:atlas-roof

Lieber Herr Wiedemann,

neun genügen. Das Licht soll ja lesen helfen und nicht bleichen. Die 40 cm nehmen wir gern.

Herzliche Grüße
Maya Lindqvist
--- atlas-roof-3 | 48.6 | Projects/Atlas | jochen > maya | re:atlas-roof-2 charset:iso-8859-1

Wunderbar. Dann schreibe ich die Pläne so fort und schicke sie Ihnen bis Freitag. Grüße auch an Petra, ihre Skizze der Träger war genauer als meine.

J. Wiedemann
--- atlas-timber | 41.5 | Projects/Atlas | ruben > maya | file:offer.pdf flagged
Offer 2291: larch for the harbour side

Hello Maya,

the offer is attached: 412 m2, 389,000 SEK, eleven weeks. It is the slow-grown stuff from the north slope, so it will silver evenly and not in stripes like the bank across the water.

If you want it before the next storms I need a yes within thirty days.

Ruben
--- atlas-timber-2 | 40.8 | Sent | maya > ruben, cc:idris | re:atlas-timber

Ruben, thank you. Can you hold the price if we take delivery in two halves? The quay is only ours from week {week 60}.

Maya
--- atlas-timber-3 | 40.2 | Projects/Atlas | ruben > maya, cc:idris | re:atlas-timber-2

Two halves is fine, same price, as long as the second is no later than week {week 88}. My brother drives the truck and he goes fishing in week {week 95} whatever happens.

Ruben
--- atlas-timber-4 | 39.6 | Sent | maya > ruben, cc:idris | re:atlas-timber-3

Then week {week 60} and week {week 88}, and good luck to the fish. Formal order follows from Idris.

Maya
--- atlas-drawings | 33.1 | Projects/Atlas | petra > maya, idris, cc:wilma | file:drawings.zip file:section.png
Drawings, second issue

Second issue in the zip, section A as a picture because somebody (Idris) reads mail on a tram.

Changes: stair turned round, so you see the water going up and the maps coming down. Drawers moved 20 cm for the radiator. Bathtub drawn in.

Petra
--- atlas-drawings-2 | 32.9 | Projects/Atlas | idris > petra, maya, cc:wilma | re:atlas-drawings

From the tram: yes. The stair was wrong and now it is right. I have nothing else to say, which is suspicious, so I will look again tomorrow.

Idris
--- atlas-costs | 26.4 | Projects/Atlas | wilma > maya, idris | file:costs.csv
Costs so far

Sheet attached as CSV. We are at 1,066,800 SEK for the five large items. The felt came in lower than planned, the stair steel higher, and the two nearly cancel out.

Nearly is 12,300 SEK.

Wilma
--- atlas-costs-2 | 26.2 | Sent | maya > wilma, idris | re:atlas-costs

Lovely, thank you. Take the 12,300 out of the door handles. Nobody has ever loved a library for its door handles.

Maya
--- atlas-costs-3 | 26.0 | Projects/Atlas | idris > maya, wilma | re:atlas-costs-2

I have loved a library for its door handles. But take it.

Idris
--- atlas-quay | 15.6 | INBOX | agneta > maya | flagged at:11:20
The harbour office has said yes

Dear Maya,

the permit for the quay came this morning, signed by the lady you told us about. Weeks {week 60} to {week 102}, noise until 18:00, and we must not frighten the eiders before {date 70}.

You may tell the studio. I have already told the eiders.

Agneta
--- atlas-quay-2 | 15.4 | Sent | maya > agneta, cc:studio | re:atlas-quay

Dear Agneta,

that is the best sentence I have read this month. Thank you. We will be quiet.

Maya
--- atlas-invoice | 8.3 | INBOX | ruben > maya, cc:idris | flagged
Invoice 1187: larch, a third in advance

Maya, here is the invoice that lets my brother buy diesel: one third of the larch in advance, 137,000 SEK, to be paid by {workdate 21}. The rest comes when the second half lies on your quay.

Ruben
--- atlas-invoice-2 | 7.9 | INBOX | idris > maya | unread
Which invoices are still open?

Agneta's foundation pays on the last day of the month and wants one list beside the budget. I have Ruben's and the harbour's. Are there any other invoices for Atlas House that only you have seen?

Idris
--- atlas-felt | 6.3 | INBOX | petra > maya | unread
Felt samples are here

Three greys and one that the maker calls "fog" and I call lilac. They lie on your desk. Please do not pick lilac.

P.
--- atlas-felt-2 | 5.9 | INBOX | wilma > petra, maya | re:atlas-felt unread

I vote fog.
--- atlas-visit | 1.2 | INBOX | agneta > maya, idris | unread flagged at:9:14
Visit of the board on {workdate 9}

Dear both,

the board wants to see the building before it approves the second payment. Could one of you walk five people through it, one of them aged eighty-four and better on ladders than I am? An hour is enough. They will ask about fire exits and about the bathtub.

Please let me know by Friday.

Agneta Forsell
--- atlas-draft | 0.9 | Drafts | maya > agneta, cc:idris | re:atlas-visit at:14:40

Dear Agneta,

with pleasure. I will take them round myself and Idris will hold the ladder. For the fire exits I will bring
--- atlas-old-brief | 210.5 | Archive | agneta > maya, idris |
A warehouse, a thousand maps and a question

Dear Maya Lindqvist, dear Idris Bekele,

you do not know me. I look after eleven hundred sea charts and a brick warehouse that leaks. I saw your small library in Kungälv on a rainy Tuesday and stayed for three hours.

Would you come and look at ours?

Agneta Forsell, the Atlas Foundation
--- atlas-old-brief-2 | 209.8 | Sent | maya > agneta, cc:idris | re:atlas-old-brief

Dear Agneta Forsell,

yes. Tuesday, if it rains.

Maya Lindqvist
`

export function atlas(now: number): Letter[] {
  return readLetters(fillDays(TEXT, now), FILES)
}
