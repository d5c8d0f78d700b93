/** Records as a table; as cards where there is no room for one. */
import type { JSX } from 'preact'
import type { ActivityRecord } from '../api-types.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Mail, writtenOut } from '../parts/mail.tsx'
import { clockTime, count, dayName, exactTime } from '../times.ts'
import { factsOf, reasonWords, toolWords } from './words.ts'

const RESULTS: Readonly<Record<ActivityRecord['result'], readonly [string, Tone]>> = {
  OK: ['done', 'good'],
  PARTIAL: ['done in part', 'warn'],
  ERROR: ['failed', 'bad'],
  INTENT: ['begun', 'calm'],
  DENIED: ['refused', 'bad'],
}

/** On record a letter that nobody has approved yet is denied, as nothing left; for people it waits, and nobody said no. */
const WAITING: readonly [string, Tone] = ['waiting', 'warn']

function isWaiting({ reason }: ActivityRecord): boolean {
  return reason === 'approval_missing'
}

export function RecordTable({ records }: { readonly records: readonly ActivityRecord[] }): JSX.Element {
  return (
    <table class="cards records">
      <caption class="unseen">Records, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Result</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <Row key={record.id} record={record} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ record }: { readonly record: ActivityRecord }): JSX.Element {
  const [words, tone] = isWaiting(record) ? WAITING : RESULTS[record.result]
  const at = Date.parse(record.ts)
  const event = toolWords(record.tool)
  return (
    <tr class={record.decision === 'DENY' && !isWaiting(record) ? 'refused' : undefined}>
      <td data-name="When" class="when">
        <time dateTime={record.ts} title={exactTime(at)}>
          <span class="soft">{dayName(at)}</span> {clockTime(at)}
        </time>
      </td>
      <td data-name="Who">
        <Mail text={record.caller_id} />
        <span class="soft beneath">
          <Mail text={record.caller_addr} />
        </span>
      </td>
      <td data-name="What">
        {event ?? (
          <code>
            <Mail text={record.tool} />
          </code>
        )}
        <span class="soft beneath">
          {factsOf(record).map(({ text, whole }) => (
            <span key={text} class="fact" title={whole && writtenOut(whole)}>
              <Mail text={text} />
            </span>
          ))}
        </span>
      </td>
      <td data-name="Result">
        <Badge tone={tone}>{words}</Badge>
      </td>
      <td data-name="Why">
        <Mail text={reasonWords(record.reason)} />
        <span class="soft beneath">{more(record)}</span>
      </td>
    </tr>
  )
}

function more({ visibility_granted, error_type, redacted_fields, latency_ms }: ActivityRecord): string {
  return [
    ...(error_type === null ? [] : [`failure: ${error_type}`]),
    ...(visibility_granted === null ? [] : [`level ${visibility_granted}`]),
    ...(redacted_fields.length === 0 ? [] : [`left out: ${redacted_fields.join(', ')}`]),
    ...(latency_ms > 0 ? [`${count(latency_ms)} ms`] : []),
  ].join(' · ')
}
