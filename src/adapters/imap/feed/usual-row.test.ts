/** The short way of reading a row against the general one, over answers as servers write them and over spoiled ones. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../core/failure.ts'
import type { Row } from '../../../core/mirror/state.ts'
import type { Frame } from '../wire/frames.ts'
import { readResponse } from '../wire/response.ts'
import { RowReader } from './row-reader.ts'
import { readUsualRow } from './usual-row.ts'

const UID = 7
const DATE = '"01-Jan-2025 08:00:00 +0000"'
const HEADER = 'BODY[HEADER.FIELDS (DATE FROM TO)]<0>'
const TEXT = '("text" "plain" ("charset" "utf-8") NIL NIL "8bit" 6272 81 NIL NIL NIL NIL)'
const FILE =
  '("application" "octet-stream" ("name" "a b.bin") "<id@x>" "what it is" "base64" 99 NIL ("attachment" ("filename" "b.bin")) NIL NIL)'

function answer(structure: string, flags = '\\Seen'): string {
  return `* 3 FETCH (UID ${UID} FLAGS (${flags}) INTERNALDATE ${DATE} RFC822.SIZE 6755 BODYSTRUCTURE ${structure} ${HEADER} `
}

function frame(text: string, end = ')'): Frame {
  return { segments: [text, end], literals: [Buffer.from('Subject: x\r\n\r\n')] }
}

/** What the general reader makes of it, by way of all values. */
function general(asked: Frame): Row | undefined {
  const reader = new RowReader((uid) => uid === UID, true)
  try {
    const response = readResponse(asked)
    if (response.kind === 'data') reader.take(response)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
  return reader.found.get(UID)
}

function short(asked: Frame): Row | undefined {
  const reader = new RowReader((uid) => uid === UID, true)
  return reader.take.unread?.(asked) === true ? reader.found.get(UID) : undefined
}

describe('what most servers write is read the short way', () => {
  test.each([
    ['one part', TEXT],
    ['parts', `(${TEXT}${FILE} "mixed" ("boundary" "b-1") NIL NIL NIL)`],
    ['parts in parts', `((${TEXT}${TEXT} "alternative" NIL ("inline" NIL))${FILE} "MIXED")`],
    ['no more than must be said', '("TEXT" "HTML" NIL NIL NIL "7BIT" 20 2)'],
    ['a checksum', '("image" "png" NIL NIL NIL "base64" 20 "c2Vl")'],
  ])('%s', (_what, structure) => {
    const asked = frame(answer(structure))
    expect(short(asked)).toBeDefined()
    expect(short(asked)).toEqual(general(asked))
  })

  test('texts that begin alike and go on otherwise', () => {
    const begins = '("text" "plain" ("charset" "utf-8" "name" "n.txt") NIL NIL "8bit" 11 2'
    const rests = [' NIL ("attachment" ("filename" "f.txt")) NIL NIL)', ' NIL NIL NIL)', ')', ' NIL)', ' "c2Vl" NIL)']
    for (const rest of [...rests, ...rests]) {
      const asked = frame(answer(`(${begins}${rest}${begins}${rest} "mixed")`))
      expect(short(asked)).toBeDefined()
      expect(short(asked)).toEqual(general(asked))
    }
  })

  test('parameters named like what every object has', () => {
    for (const name of ['constructor', 'Constructor', 'valueof', 'hasownproperty']) {
      const asked = frame(answer(`("text" "plain" ("${name}" "x" "name" "n.txt") NIL NIL "8bit" 11 2 NIL NIL NIL NIL)`))
      const named = { [name.toLowerCase()]: 'x', name: 'n.txt' }
      expect(general(asked)?.structure?.parameters).toEqual(named)
      expect(short(asked) ?? general(asked)).toEqual(general(asked))
    }
  })

  test('flags that are none are left out', () => {
    const asked = frame(answer(TEXT, '\\Seen \\Recent NIL $Forwarded  work'))
    expect(readUsualRow(asked)?.flags).toEqual(['\\Seen', '$Forwarded', 'work'])
    expect(short(asked)).toEqual(general(asked))
  })
})

describe('what is written otherwise is left to the general reader', () => {
  test.each([
    ['a message in it', answer(`(${TEXT}("message" "rfc822" NIL NIL NIL "7bit" 5 (NIL) ${TEXT} 9) "mixed")`)],
    ['a word to decode', answer('("text" "plain" ("name" "=?utf-8?Q?=C3=BC?=") NIL NIL "8bit" 6 1)')],
    ['a section of a parameter', answer('("text" "plain" ("name*0" "a") NIL NIL "8bit" 6 1)')],
    ['an item behind the header', answer(TEXT).replace(HEADER, `${HEADER} "x" MODSEQ (1) BODY[]`)],
    ['another header', answer(TEXT).replace('<0>', '<9>')],
    ['no such day', answer(TEXT).replace('Jan', 'Foo')],
    ['many parts', answer(`(${TEXT.repeat(40)} "mixed")`)],
    ['deep parts', answer(`${'('.repeat(12)}${TEXT}${' "mixed")'.repeat(12)}`)],
  ])('%s', (_what, text) => {
    expect(readUsualRow(frame(text))).toBeUndefined()
  })

  test('something behind the header', () => {
    expect(readUsualRow(frame(answer(TEXT), ' UID 8)'))).toBeUndefined()
  })
})

describe('whatever is written', () => {
  const text = fc.oneof(
    fc.constantFrom('utf-8', 'a.pdf', '<i@x>', '', ' x ', '=?utf-8?Q?a?=', 'a\\"b', 'ü', 'constructor', '__proto__'),
    fc.string({ maxLength: 6, unit: fc.constantFrom(..."aZ9 -_.=?*'%<>()[]{}") }),
  )
  /** Mostly usual: one thing that is not decides over the whole answer. */
  const mostly = (common: readonly string[], odd: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.oneof({ weight: 25, arbitrary: fc.constantFrom(...common) }, { weight: 1, arbitrary: odd })
  const quoted = mostly(
    ['"utf-8"', '"a.pdf"', '""', '" x "', '"a=b"'],
    text.map((inside) => `"${inside}"`),
  )
  const maybe = mostly(['NIL', '"<i@x>"', '"a b"'], quoted)
  const name = mostly(['charset', 'NAME', 'filename', 'format'], fc.constantFrom('name*', 'toString', '__proto__'))
  const pair = fc.tuple(name, quoted).map(([its, value]) => `"${its}" ${value}`)
  const parameters = fc.oneof(
    fc.constant('NIL'),
    fc.array(pair, { minLength: 1, maxLength: 3 }).map((all) => `(${all.join(' ')})`),
  )
  const disposition = fc.oneof(
    mostly(['NIL', '("inline" NIL)'], fc.constant('("" NIL)')),
    parameters.map((its) => `("Attachment" ${its})`),
  )
  const kind = mostly(
    ['"text" "plain" # 5 1', '"TEXT" "x-y" # 20 0', '"image" "PNG" # 7'],
    fc.constantFrom('"image" "png" # 7 1', '"text" "x" # 1', '"message" "rfc822" # 1', '"a b" "" # 1', '"a" "b" # NIL'),
  )
  const word = mostly(['"mixed"', '"7bit"', '"BASE64"'], maybe)
  const more = fc.tuple(maybe, disposition, mostly(['', ' NIL', ' NIL NIL'], fc.constantFrom(' ("de")', ' NIL "l"')))
  const leaf = fc
    .tuple(kind, parameters, maybe, maybe, word, fc.option(more))
    .map(([its, all, id, what, how, rest]) => {
      const behind = rest === null ? '' : ` ${rest[0]} ${rest[1]}${rest[2]}`
      return `(${its.replace('#', `${all} ${id} ${what} ${how}`)}${behind})`
    })
  const { structure } = fc.letrec<{ structure: string }>((tie) => ({
    structure: fc.oneof(
      { depthSize: 'small' },
      leaf,
      leaf,
      fc
        .tuple(
          fc.array(tie('structure'), { maxLength: 3 }),
          mostly([''], fc.constant(' ')),
          word,
          parameters,
          disposition,
        )
        .map(([parts, gap, its, all, how]) => `(${parts.join(gap)} ${its} ${all} ${how} NIL)`),
    ),
  }))
  const flag = mostly(['\\Seen', '\\recent', 'NIL', '', '$x'], fc.constantFrom('a]', '"q"', 'BODY[x]'))
  const flags = fc.array(flag, { maxLength: 4 })
  const usual = fc.tuple(structure, flags).map(([its, all]) => answer(its, all.join(' ')))
  const spoiled = fc
    .tuple(usual, fc.nat(), fc.constantFrom('', ' ', '"', '(', ')', '\\', 'NIL', '9', ']', '\0', 'ü', '{3}'), fc.nat(2))
    .map(([line, at, put, over]) => {
      const place = at % line.length
      return line.slice(0, place) + put + line.slice(place + over)
    })

  test('it is read as the general reader reads it, or not at all', () => {
    let read = 0
    fc.assert(
      fc.property(fc.oneof(usual, spoiled), mostly([')'], fc.constantFrom('', ' x)')), (line, end) => {
        const found = short(frame(line, end))
        if (found === undefined) return
        read += 1
        expect(found).toEqual(general(frame(line, end)))
      }),
      { numRuns: 5000 },
    )
    expect(read).toBeGreaterThan(500)
  })
})
