/** Family, friends, school, and what keeps a household going. */
import { fillDays } from '../calendar.ts'
import { pngFile } from '../files.ts'
import type { Letter } from '../letter.ts'
import { type Files, readLetters } from '../read-letters.ts'

const FILES: Files = {
  'boat.png': () => ({
    filename: 'båten.png',
    type: 'image/png',
    bytes: pngFile(80, 60, (x, y) =>
      y > 40 ? [38, 92, 128] : y > 28 && Math.abs(x - 40) < 24 - (y - 28) ? [150, 60, 44] : [206, 224, 236],
    ),
  }),
}

const TEXT = `
--- island | 24.3 | INBOX | karin > maya, elin |
Kalas på Öckerö

Hej flickor!

Pappa har målat båten (bild kommer när den torkat) och jag har räknat stolar. Vi blir fjorton om Jonas kommer och tretton om han inte gör det, och tretton vill jag inte ha vid bordet.

Elin tar sillen. Maya tar bullarna, men köp dem inte i hamnen, de är från i tisdags.

Kram
Mamma
--- island-2 | 24.1 | INBOX | elin > maya, karin | re:island

Sill: ja. Jag gör den med citron i år. Ingen får säga något.

E
--- island-3 | 23.8 | Sent | maya > karin, elin | re:island

Fjorton! Jonas kommer, han har till och med strukit en skjorta. Bullar från Tjörn.

Kram M
--- island-boat | 22.6 | INBOX | olof > maya, elin | re:island-3 file:boat.png flagged
Båten

Röd igen. Er mor ville ha grön.

/Pappa
--- elin-key | 9.2 | INBOX | elin > maya |
your spare key

is at mine, in the blue bowl, under the bills. In case you look for it as you did last time, for two days, while holding it.

also: can you look at my lease before I sign? page 4 has a sentence with three negations in it and I think I have agreed to keep a horse.
--- elin-key-2 | 9.0 | Sent | maya > elin | re:elin-key

Send me page 4. Do not buy hay yet.
--- elin-key-3 | 8.7 | INBOX | elin > maya | re:elin-key-2

"The tenant shall not be deemed not to have declined the use of the stable unless no notice is given."

??
--- elin-key-4 | 8.5 | Sent | maya > elin | re:elin-key-3

No notice, no horse. Sign it.
--- jonas-dinner | 3.4 | INBOX | jonas > maya | at:15:20
tonight

Back at seven. I have the good bread and no plan. You?
--- jonas-dinner-2 | 3.3 | Sent | maya > jonas | re:jonas-dinner

Soup from yesterday, plan from tomorrow. Bring the bread.
--- jonas-passport | 0.4 | INBOX | jonas > maya | unread
passport!

Yours runs out on {date 34}. I only saw it because I was looking for mine. Lisbon is on {date 24}, so we are fine, but barely. The office has times on Wednesday mornings.

J
--- bea-book | 30.8 | INBOX | bea > maya |
the book you lent me in 2019

I found it. It has a boarding pass in it from a flight neither of us took. Coffee, Saturday, and I bring it? I underlined nothing, I promise. I folded one corner. Two.

Bea
--- bea-book-2 | 30.5 | Sent | maya > bea | re:bea-book

Saturday at eleven, the place with the wobbly tables. Corners are allowed. Who flew?
--- bea-book-3 | 30.1 | INBOX | bea > maya | re:bea-book-2

A Mr. Aldous Pemberly, seat 14C, to Trieste. I have decided that he is happy there.
--- bea-choir | 4.6 | INBOX | bea > maya, elin, jonas | unread
Choir needs basses

We have nine altos, six sopranos, and Göran. Göran is very good but he is one Göran. Does anybody know a bass? He need not read music. He need not even be cheerful. Rehearsals are on Mondays, there is cake.

B
--- school-trip | 12.7 | INBOX | school > maya, jonas |
Klass 3B: utflykt till Botaniska

Hej vårdnadshavare!

På torsdag går klass 3B till Botaniska trädgården. Samling 8:15 vid skolgrinden. Barnen behöver matsäck, regnkläder och en vattenflaska. Saga har anmält nötallergi, så inga nötter i någons matsäck, tack.

Vi är tillbaka 14:30.

Vänliga hälsningar
Kansliet, Björkskolan
--- school-trip-2 | 12.5 | Sent | maya > school, cc:jonas | re:school-trip

Hej! Saga kommer, med regnkläder och utan nötter. Jag kan följa med som vuxen om det behövs.

Maya Lindqvist
--- school-photo | 37.4 | Archive | school > maya |
Skolfotografering

Hej! Fotograferingen är på tisdag. Beställning görs på blanketten som barnen får med sig hem. Syskonbilder tas på rasten.

Kansliet
--- dentist | 20 | INBOX | dentist > maya |
Påminnelse: tid hos tandläkaren

Hej Maya!

Du har tid för undersökning hos Amira Nordin om två veckor, {veckodag -5} 08:40. Avboka senast 24 timmar innan, annars debiteras 450 kr.

Tandläkarna vid Ån
--- library-due | 7 | INBOX | library > maya |
Lånen går snart ut

Hej Maya Lindqvist,

tre lån går ut om tre dagar:
- Kartans makt
- Trätak i Norden, del 2
- Bullar för nybörjare

Du kan låna om en gång till på webben eller i huset.

Stadsbiblioteket
--- library-fine | 3 | INBOX | library > maya | unread
Försenat lån: Bullar för nybörjare

Hej Maya Lindqvist,

två lån är omlånade. "Bullar för nybörjare" är reserverad av någon annan och skulle ha lämnats i går. Avgiften är 5 kr om dagen.

Stadsbiblioteket
--- idris-birthday | 18.2 | Archive | petra > maya, wilma |
Idris is fifty on {weekday -15}

He thinks nobody knows. I have ordered a cake in the shape of a section through a staircase. Can you get him out of the studio between two and half past?

P.
--- idris-birthday-2 | 18.0 | Sent | maya > petra, wilma | re:idris-birthday

I will tell him that the printer has opinions about his line weights. That is half an hour at least.
--- idris-birthday-3 | 13.9 | Archive | idris > studio |
I knew

And I pretended for half an hour to believe in a printer with opinions. Thank you. The risers were 17 cm, as they should be. There is cake left, mostly landings.

Idris
--- wilma-leave | 10.4 | INBOX | wilma > maya |
Leave next month

Hi Maya,

may I take the 12th to the 23rd off? My grandmother turns ninety and wants to be rowed round the island, all of it, by me.

The survey will be done before. I can be reached in the evenings from the jetty, one bar.

Wilma
--- wilma-leave-2 | 10.2 | Sent | maya > wilma, cc:idris | re:wilma-leave

Of course. Row well.
--- kungalv-thanks | 320.6 | Archive | Berit Öst <berit.ost@kungalv-bibliotek.example> > maya, idris |
Three months of the small library

Dear both,

4,112 visitors, two proposals of marriage (one accepted) and a cat that comes at ten and leaves at four. The children call the reading stair "the cliff". We have had to buy more cushions.

Berit
--- kungalv-thanks-2 | 320.2 | Sent | maya > Berit Öst <berit.ost@kungalv-bibliotek.example>, cc:idris | re:kungalv-thanks

Berit, this goes on the wall. What became of the other one?

Maya
--- kungalv-thanks-3 | 319.7 | Archive | Berit Öst <berit.ost@kungalv-bibliotek.example> > maya | re:kungalv-thanks-2

He comes on Thursdays now, when she is not here, and borrows poetry.

Berit
--- tax-notes | 39.3 | Archive | maya > maya |
tax: do not forget

- rail tickets (187 kr back, subtract)
- the lamp is NOT deductible, asked twice
- donation to the sea rescue, 600
--- olof-knots | 96.4 | Archive | olof > maya |
Knopar

Du frågade hur man gör en pålstek. Upp ur hålet, runt trädet, ner i hålet igen. Har du glömt kaninen?

/Pappa
--- olof-knots-2 | 96.1 | Sent | maya > olof | re:olof-knots

Kaninen har jag inte glömt. Det var trädet.
--- elin-flat | 75.7 | Archive | elin > maya |
I got the flat!!

Third floor, two windows to the yard, a stove from before the war. The neighbour plays the accordion, but well. Help me carry the sofa on the 1st? There will be beer and a wrong turn on the stairs.
--- elin-flat-2 | 75.4 | Sent | maya > elin | re:elin-flat

YES. I bring Jonas and a rope. Father brings knots.
--- mentor-student | 53.8 | Archive | Signe Brodin <signe.brodin@arkitekturskolan.example> > maya |
A question from a student

Dear Maya Lindqvist,

you gave a talk at our school and said that a plan is a promise about walking. I have thought about it ever since. May I visit the studio for an hour? I can sweep.

Signe Brodin, third year
--- mentor-student-2 | 53.3 | Sent | maya > Signe Brodin <signe.brodin@arkitekturskolan.example>, cc:wilma | re:mentor-student

Dear Signe, come on Friday at three. No sweeping. Bring a plan.

Maya
--- draft-speech | 5.1 | Drafts | maya > maya |
speech for the opening (notes)

- not the history, Agneta does the history
- light: nine windows, and why not ten
- the bathtub
- thank the eiders?
--- draft-karin | 2.2 | Drafts | maya > karin |
Receptet

Hej mamma, kan du skicka receptet på
`

export function family(now: number): Letter[] {
  return readLetters(fillDays(TEXT, now), FILES)
}
