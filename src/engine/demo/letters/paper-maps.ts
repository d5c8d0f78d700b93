/** A mailing list, a message that came back, and what lies in the spam and the trash. */
import { leaf, textPart } from '../compose.ts'
import { ascii } from '../encodings.ts'
import type { Letter } from '../letter.ts'
import { messageIdOf } from '../message-id.ts'
import { MAYA } from '../people.ts'
import { readLetters } from '../read-letters.ts'

const LIST = `
--- maps-fold | 27.3 | Newsletters | Odile Brandt <odile@brandt-maps.example> > list |
[paper-maps] How do you fold a sheet that was never meant to be folded?

Dear list,

a reader has brought me a wall map of 1911, 140 by 190 cm, and wants it in a coat pocket. I have said no four times. Is there a way that I will not regret?

Odile
--- maps-fold-2 | 27.1 | Newsletters | Piet Vandersteen <piet@vandersteen.example> > list | re:maps-fold

Print a copy, fold the copy, hang the map. Then bill him for the argument.

Piet
--- maps-fold-3 | 26.8 | Newsletters | Yusra Okafor <yusra@okafor-bindery.example> > list | re:maps-fold

If it must be the original: cut it into twenty-four panels and mount them on linen with 3 mm between them. It was done in 1911 too. It is honest, it is reversible with patience, and it fits a coat.

Yusra
--- maps-fold-4 | 26.5 | Newsletters | Odile Brandt <odile@brandt-maps.example> > list | re:maps-fold-3

Twenty-four panels. He has agreed, and bought a larger coat. Thank you, Yusra.

Odile
--- maps-fold-5 | 26.3 | Sent | maya > list | re:maps-fold-4

May I see it when it is done? We are building a room with drawers for exactly such stories.

Maya Lindqvist, Gothenburg
--- maps-north | 10.9 | Newsletters | Piet Vandersteen <piet@vandersteen.example> > list |
[paper-maps] North arrows: a census

I have now collected 412 north arrows. 61 are fish. Does anybody have a fish that points south?

Piet
--- maps-north-2 | 10.7 | Newsletters | Odile Brandt <odile@brandt-maps.example> > list | re:maps-north unread

Two. Both drowned, as far as one can tell.

Odile
--- maps-admin | 45.9 | Newsletters | list > list |
[paper-maps] Monthly reminder

This list is for people who love maps on paper. Please trim what you quote, no attachments above 200 kB, and be kind.
`

const JUNK = `
--- spam-lottery | 3.1 | Spam | Claims Desk <claims@grand-euro-draw.example> > maya | unread
Your adress has been selected for 850.000 EURO!!

Dear Beneficiary, your e-mail adress was drawn in the second category. To release the fund kindly send full name, telephone and a small processing fee of 95 EURO.
--- spam-seo | 6.6 | Spam | Kevin Rank <kevin@top-rank-fast.example> > maya | unread
Quick question about your website

Hi, I was just on your website and noticed that it is not on page one. We can fix this in 14 days, guaranteed. Do you have five minutes tomorrow?
--- spam-seo-2 | 4.4 | Spam | Kevin Rank <kevin@top-rank-fast.example> > maya | re:spam-seo unread

Just bumping this to the top of your inbox!
--- spam-watch | 11.3 | Spam | Luxury Time <sale@luxury-time-outlet.example> > maya | unread
-80% only today: watches you will love

Genuine quality. Free box. Today only (every day).
--- spam-parcel | 1.6 | Spam | Parcel Info <info@parcel-redelivery.example> > maya | unread
Your parcel could not be delivered

A fee of 1.99 is open. Please pay within 12 hours at http://parcel-redelivery.example/pay or the parcel returns to its sender.
--- spam-crypto | 8.9 | Spam | Future Coin <grow@future-coin.example> > maya | unread
Maya, double your savings while you sleep

Our system has never lost. Spaces are limited. Sleep well.
--- spam-invoice | 14.8 | Spam | Accounts <accounts@billing-dept.example> > maya | unread
Overdue invoice INV-00931

Please see the invoice, which is overdue since last month. If you did not order anything, please pay first and write to us afterwards.
--- trash-sale | 5.6 | Trash | shop > maya |
Sale: shades from 190 SEK

Shades, bulbs and one very large lamp that does not fit through our door. Until Sunday.
--- trash-printer | 18.4 | Trash | studio > studio |
The printer is out of magenta

Again. New cartridges on Monday. Until then everything is a little green.
--- trash-lost | 39.8 | Trash | studio > studio |
Whose umbrella?

Black, wooden handle, very wet. It stands by the door and drips on the models.
--- trash-survey | 22.2 | Trash | air > maya |
How was your flight with us?

Tell us in only 34 questions.
--- trash-old-draft | 48.2 | Trash | maya > idris |
the stair again

I still think that it turns the wrong way, but I will wait until
`

export function listAndJunk(): Letter[] {
  const list = readLetters(LIST).map((letter): Letter => ({ ...letter, headers: LIST_HEADERS }))
  const junk = readLetters(JUNK).map(
    (letter): Letter => (letter.mailbox === 'Spam' ? { ...letter, authentication: 'none' } : letter),
  )
  return [...list, ...junk, MISTYPED, BOUNCE]
}

const LIST_HEADERS = [
  ['List-Id', 'Maps on paper <paper-maps.lists.cartography.example>'],
  ['List-Post', '<mailto:paper-maps@lists.cartography.example>'],
  ['List-Unsubscribe', '<mailto:paper-maps-leave@lists.cartography.example>'],
] as const

const MISTYPED: Letter = {
  id: 'mistyped',
  mailbox: 'Sent',
  days: 34.05,
  from: MAYA,
  to: ['ruben@achterberg-timbre.example'],
  subject: 'The truck',
  text: 'Ruben, is the truck still on for the first half? The harbour wants a number plate.\n\nMaya\n',
}

/** RFC 3464: one part for people, one for programs, and the header of what came back. */
const BOUNCE: Letter = {
  id: 'bounce-mistyped',
  mailbox: 'INBOX',
  days: 34.05,
  from: 'postmaster',
  to: [MAYA],
  subject: 'Undelivered Mail Returned to Sender',
  headers: [['Auto-Submitted', 'auto-replied']],
  answers: 'mistyped',
  body: {
    kind: 'multipart',
    type: 'report; report-type=delivery-status',
    children: [
      textPart(
        'plain',
        'Your message could not be delivered. The domain achterberg-timbre.example does not exist.\n',
        {},
      ),
      leaf(
        [['Content-Type', 'message/delivery-status']],
        ascii(
          'Reporting-MTA: dns; mail.lindqvist.example\r\n\r\nFinal-Recipient: rfc822; ruben@achterberg-timbre.example\r\nAction: failed\r\nStatus: 5.1.2\r\nDiagnostic-Code: smtp; 550 5.1.2 no such domain\r\n',
        ),
      ),
      leaf(
        [['Content-Type', 'text/rfc822-headers']],
        ascii(
          `From: Maya Lindqvist <maya@lindqvist.example>\r\nTo: ruben@achterberg-timbre.example\r\nSubject: The truck\r\nMessage-ID: ${messageIdOf(MISTYPED)}\r\n`,
        ),
      ),
    ],
  },
}
