/** Lisbon by air, Lyon by train, and what calendars send. */
import { dayFrom, dayText, type Event, icsText, workdayFrom } from '../calendar.ts'
import { leaf, textPart } from '../compose.ts'
import { pdfFile } from '../files.ts'
import type { Attachment, BodyPart, Letter } from '../letter.ts'
import { MAYA } from '../people.ts'
import { readLetters } from '../read-letters.ts'

const TEXT = `
--- violetta-hello | 32.3 | Travel | hotel > maya |
Your stay with us

Dear Ms. Lindqvist,

room 7 is yours for four nights. It has the small balcony and the large tree. Breakfast is from 7:30 until the last guest is awake.

If you come with the late flight, ring twice: my father opens, and he is a little deaf.

Chiara, Pensione Violetta
--- violetta-hello-2 | 31.9 | Sent | maya > hotel | re:violetta-hello

Thank you, Chiara. We land at 22:40 and will ring three times.

Maya Lindqvist
--- violetta-hello-3 | 31.5 | Travel | hotel > maya | re:violetta-hello-2

Three times is a fire. Two, please.

C.
--- rail-delay | 43 | Travel | rail > maya | at:6:12
Tåg 421 är 35 minuter försenat

Hej! Ditt tåg 421 mot Köpenhamn avgår 35 minuter senare på grund av ett växelfel i Alingsås. Anslutningen mot Hamburg väntar.

Nordbanan
--- rail-refund | 40.4 | Travel | rail > maya |
Ersättning för tåg 421

Hej Maya! Du får 25 % av biljettpriset tillbaka, 187 kr. Pengarna är på ditt konto inom fem bankdagar. Du behöver inte göra något.

Nordbanan
--- lyon-plan | 34.6 | Travel | jonas > maya |
Lyon by train?

Gothenburg, Copenhagen, Hamburg, Frankfurt, Lyon. 19 hours with a night in the middle. You get your printing press and I get to look out of a window for 19 hours, which is all I have ever wanted.

J
`

export function travel(now: number): Letter[] {
  return [...readLetters(TEXT), flight(now), ticket(now), invitation(now), cancellation(now), dentistEvent(now)]
}

function flight(now: number): Letter {
  const [out, back] = [dayText(dayFrom(now, 24)), dayText(dayFrom(now, 28))]
  const lines = [
    'Tern Airways: booking QX7TRN',
    `${out}  Gothenburg 18:55 - Lisbon 22:40  TN 482`,
    `${back}  Lisbon 12:10 - Gothenburg 17:45  TN 483`,
    'Maya Lindqvist, Jonas Ekdahl',
    'Paid: 4,236.00 SEK',
  ]
  const file: Attachment = { filename: 'itinerary-QX7TRN.pdf', type: 'application/pdf', bytes: pdfFile(lines) }
  return {
    id: 'tern-qx7trn',
    mailbox: 'Travel',
    days: 33.2,
    from: 'air',
    to: [MAYA],
    subject: 'Booking QX7TRN confirmed: Gothenburg to Lisbon',
    text: `Dear Maya Lindqvist,\n\n${lines.slice(1).join('\n')}\n\nCheck-in opens 24 hours before. One cabin bag each, 8 kg.\n\nTern Airways\n`,
    html: `<html><body style="font-family:sans-serif"><h2>Booking QX7TRN</h2><table border="1" cellpadding="6"><tr><th>Date</th><th>Flight</th><th>From</th><th>To</th></tr><tr><td>${out}</td><td>TN 482</td><td>Gothenburg 18:55</td><td>Lisbon 22:40</td></tr><tr><td>${back}</td><td>TN 483</td><td>Lisbon 12:10</td><td>Gothenburg 17:45</td></tr></table><p>Paid: 4,236.00 SEK. One cabin bag each, 8 kg.</p></body></html>`,
    attachments: [file],
    flags: ['\\Flagged'],
  }
}

function ticket(now: number): Letter {
  const day = dayText(dayFrom(now, -43))
  return {
    id: 'nordbanan-421',
    mailbox: 'Travel',
    days: 50.2,
    from: 'rail',
    to: [MAYA],
    subject: `Din biljett ${day}: Göteborg–Hamburg`,
    text: `Hej Maya!\n\nHär är din biljett. Tåg 421, vagn 3, plats 41 (fönster).\n\n${day}  Göteborg C 08:05 – Hamburg Hbf 16:52\n\nTrevlig resa!\nNordbanan\n`,
    attachments: [
      {
        filename: 'biljett-421.pdf',
        type: 'application/pdf',
        bytes: pdfFile(['Nordbanan 421', `${day} 08:05`, 'Vagn 3, plats 41', 'Pris: 748 SEK']),
      },
    ],
  }
}

function invitation(now: number): Letter {
  const event: Event = {
    uid: 'board-visit',
    method: 'REQUEST',
    summary: 'Board visit, Atlas House',
    location: 'Atlas House, the weigh-house door',
    organizer: 'agneta.forsell@atlas-house.example',
    day: workdayFrom(now, 9),
    from: 8,
    until: 9,
  }
  return invite(
    {
      id: 'invite-board',
      mailbox: 'INBOX',
      days: 1.2,
      at: 9.6,
      from: 'agneta',
      to: [MAYA, 'idris'],
      subject: `Invitation: Board visit, Atlas House, ${dayText(event.day)}`,
      unread: true,
    },
    event,
    `You are invited to "Board visit, Atlas House" on ${dayText(event.day)}, 08:00 to 09:00 UTC.\n`,
  )
}

function cancellation(now: number): Letter {
  const event: Event = {
    uid: 'felt-meeting',
    method: 'CANCEL',
    summary: 'Felt and other greys',
    location: 'Studio',
    organizer: 'petra@norrsken-studio.example',
    day: workdayFrom(now, -2),
    from: 12,
    until: 13,
  }
  return invite(
    {
      id: 'cancel-felt',
      mailbox: 'Archive',
      days: 5.2,
      from: 'petra',
      to: [MAYA],
      subject: 'Cancelled: Felt and other greys',
    },
    event,
    'Cancelled. We will decide by looking at it, like everybody else.\n',
  )
}

function dentistEvent(now: number): Letter {
  const event: Event = {
    uid: 'dentist',
    method: 'PUBLISH',
    summary: 'Tandläkare',
    location: 'Ågatan 4',
    organizer: 'bokning@tandlakarna-an.example',
    day: workdayFrom(now, -5),
    from: 6 + 40 / 60,
    until: 7 + 20 / 60,
  }
  const bytes = new TextEncoder().encode(icsText(event).replaceAll('\n', '\r\n'))
  return {
    id: 'dentist-booked',
    mailbox: 'Archive',
    days: 62.8,
    from: 'dentist',
    to: [MAYA],
    subject: 'Bokad tid',
    text: 'Hej Maya! Din tid är bokad. Den ligger också i bilagan.\n',
    attachments: [{ filename: 'tid.ics', type: 'text/calendar', bytes }],
  }
}

/** An event as calendars send it: once for people, once for programs. */
function invite(letter: Omit<Letter, 'body'>, event: Event, text: string): Letter {
  const calendar = textPart('calendar', icsText(event), {})
  const described: BodyPart =
    calendar.kind === 'leaf'
      ? leaf(
          [['Content-Type', `text/calendar; charset=utf-8; method=${event.method}`], ...calendar.headers.slice(1)],
          calendar.content,
        )
      : calendar
  return {
    ...letter,
    body: { kind: 'multipart', type: 'alternative', children: [textPart('plain', text, {}), described] },
  }
}
