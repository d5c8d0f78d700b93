/** Three newsletters with the same frame every week and something else inside. */
import { Dice } from '../dice.ts'
import type { Letter } from '../letter.ts'
import { MAYA } from '../people.ts'

interface Newsletter {
  readonly key: string
  readonly from: string
  readonly colour: string
  /** Days between two issues, and since the last. */
  readonly every: number
  readonly last: number
  /** Title and what it says, newest first. */
  readonly issues: readonly (readonly [string, string])[]
}

const MARGIN: Newsletter = {
  key: 'margin',
  from: 'The Margin <letter@the-margin.example>',
  colour: '#7a2e1f',
  every: 7,
  last: 2.1,
  issues: [
    [
      'Benches, and who takes them away',
      'A city that removes a bench has decided something about old people, teenagers and lunch. We counted benches in eleven squares over a year. The two squares that gained some also gained shops.',
    ],
    [
      'The quiet economics of a bus shelter',
      'A roof of four square metres costs less than the umbrella stand in the town hall, and is used by more people before breakfast.',
    ],
    [
      'Why every new library has a staircase you can sit on',
      'Because the first one was loved, the second one was photographed, and nobody asked the third one whether it had enough chairs.',
    ],
    [
      'Streets named after rivers that are no longer there',
      'Nine cities, nine buried rivers, and the cellars that remember them every spring.',
    ],
    [
      'A short history of the roundabout',
      'It begins with a man who disliked waiting and ends, for now, with a sculpture of a very large fork.',
    ],
    [
      'What the tram knows',
      'Ten years of ticket data say that people change trams for one of two reasons: to save four minutes, or to avoid one particular stop.',
    ],
    [
      'In praise of the half-finished square',
      'Leave one side open. Somebody will put a market there, and then you will know what the square is for.',
    ],
    [
      'The price of a view',
      'Water adds a fifth to a rent, trees a tenth, and a view of other people having dinner turns out to add more than either.',
    ],
    [
      'Lamps',
      'Warm light makes people walk slower. Slower people look into windows. This letter is about a town that changed 400 bulbs.',
    ],
    ['The last hand-painted street signs', 'Two sisters, one ladder, and a blue that no catalogue has.'],
    ['Rain as a material', 'Gutters that sing, roofs that drum, and an architect who tunes them.'],
    [
      'Letters from readers: the worst door',
      'You sent us two hundred doors. We have a winner, and it is in a school of design.',
    ],
  ],
}

const GRAIN: Newsletter = {
  key: 'grain',
  from: 'Grain & Glaze <hello@grain-and-glaze.example>',
  colour: '#3f5d4c',
  every: 14,
  last: 5.3,
  issues: [
    [
      'New glazes, and an apology to the cat',
      'Celadon is back. So is the kiln, after the cat was found asleep on the controls. Evening courses start in three weeks; two places are left.',
    ],
    ['How to throw a lid that fits', 'Measure twice, trim once, and accept that clay has a memory and an opinion.'],
    [
      'The market: come early',
      'Seconds at half price. A second is a pot with a story, and this year there are many stories.',
    ],
    ['Handles', 'Pull them like you would pull a reluctant friend to a party: slowly, and with water.'],
    ['The open studio was full', 'Eighty people, forty bowls, one broken wheel. Thank you. The wheel is mended.'],
    [
      'Ash from the harbour bakery',
      'They bake with birch. We sift what is left into a glaze the colour of weak tea, and it is lovely.',
    ],
  ],
}

const TIDE: Newsletter = {
  key: 'tidewater',
  from: 'Tidewater Weekly <post@tidewater.example>',
  colour: '#1d4f6b',
  every: 7,
  last: 0.7,
  issues: [
    [
      'Eelgrass is winning, slowly',
      'Divers counted again. Three bays out of five have more of it than last year, and with it came the small crabs that nobody counts.',
    ],
    [
      'A harbour without diesel',
      'Twelve ferries, one very long cable, and the first morning on which the gulls were louder than the boats.',
    ],
    ['The storm that did not come', 'Why the warning was right all the same, and what it cost to be careful.'],
    ['Mussels as a filter', 'One rope, four tonnes, and water that you can see your feet in.'],
    ['Who owns the shore?', 'A path, a fence, a court, and an old right to walk where the sea has been.'],
    ['Cold springs', 'Where the water comes up at eight degrees all year, and what lives there because of it.'],
    ['Counting seals from the air', 'They look up. It makes counting easier.'],
    ['A map of the noise under water', 'Propellers, pile drivers, cod. In that order.'],
    ['Salt', 'There is less of it every decade, and the line where the bladderwrack stops is moving south.'],
    ['The eiders are late', 'By nine days. Nobody knows why. We asked eleven people who would.'],
    [
      'What washed up',
      'Four shoes, a fridge, a message in a bottle (in crayon), and a beam from a ship that sank in 1823.',
    ],
  ],
}

export function newsletters(): Letter[] {
  return [MARGIN, GRAIN, TIDE].flatMap((newsletter) =>
    newsletter.issues.map((_issue, at) => issueLetter(newsletter, at)),
  )
}

function issueLetter({ key, from, colour, every, last, issues }: Newsletter, at: number): Letter {
  const [title = '', story = ''] = issues[at] ?? []
  const name = from.split('<')[0]?.trim().replace('&', '&amp;') ?? ''
  const leave = `https://${key}.example/leave?who=maya`
  const text = `${title}\n\n${story}\n\n--\nYou get this because you asked for it. Leave: ${leave}\n`
  return {
    id: `${key}-${at + 1}`,
    mailbox: at === 0 ? 'INBOX' : 'Newsletters',
    days: last + at * every,
    // Sent by a program, around the same early hour.
    at: 5 + new Dice(`${key} ${at}`).roll() / 2,
    from,
    to: [MAYA],
    subject: title,
    text,
    html: page(name, colour, title, story, leave),
    unread: at < 2,
    headers: [
      ['List-Id', `<${key}.letters.example>`],
      ['List-Unsubscribe', `<${leave}>`],
      ['Precedence', 'bulk'],
    ],
  }
}

function page(name: string, colour: string, title: string, story: string, leave: string): string {
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>${title}</title><style>body{background:#f4f1ec} a{color:${colour}}</style></head>
<body><table width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table width="560" style="background:#ffffff;font-family:Georgia,serif;color:#222222">
<tr><td style="padding:18px 28px;background:${colour};color:#ffffff;font-size:20px">${name}</td></tr>
<tr><td style="padding:24px 28px"><h1 style="font-size:24px">${title}</h1><p>${story}</p><p><a href="https://letters.example/read">Read the whole letter</a></p></td></tr>
<tr><td style="padding:14px 28px;font-size:12px;color:#777777">You get this because you asked for it. <a href="${leave}">Leave</a></td></tr>
</table></td></tr></table></body></html>
`
}
