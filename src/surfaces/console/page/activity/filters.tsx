/** Which records are shown. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

export interface Filter {
  readonly caller: string
  readonly tool: string
  readonly decision: string
  readonly result: string
}

export const NO_FILTER: Filter = { caller: '', tool: '', decision: '', result: '' }

const LIMIT = '60'
const DECISIONS = [
  ['', 'all'],
  ['ALLOW', 'allowed'],
  ['DENY', 'refused'],
] as const
const RESULTS = [
  ['', 'all'],
  ['OK', 'done'],
  ['PARTIAL', 'done in part'],
  ['ERROR', 'failed'],
  ['DENIED', 'refused'],
  ['INTENT', 'begun'],
] as const

export function queryOf(filter: Filter): string {
  const set = Object.entries(filter).filter(([, value]) => value.trim() !== '')
  return new URLSearchParams([...set.map(([name, value]) => [name, value.trim()]), ['limit', LIMIT]]).toString()
}

interface FiltersProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
}

export function Filters({ filter, onChange }: FiltersProps): JSX.Element {
  const set = (name: keyof Filter) => (value: string) => onChange({ ...filter, [name]: value })
  return (
    <search class="filters">
      <NameFilter label="Caller" value={filter.caller} onChange={set('caller')} />
      <NameFilter label="Tool" value={filter.tool} onChange={set('tool')} />
      <ChoiceFilter label="Decision" value={filter.decision} values={DECISIONS} onChange={set('decision')} />
      <ChoiceFilter label="Result" value={filter.result} values={RESULTS} onChange={set('result')} />
    </search>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Counts when it is left or Enter is pressed: half a name matches nothing. Until then, news must not take it away. */
function NameFilter({ label, value, onChange }: FieldProps): JSX.Element {
  const [typed, setTyped] = useState(value)
  return (
    <label>
      {label}
      <input
        type="search"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  )
}

interface ChoiceProps extends FieldProps {
  readonly values: readonly (readonly [string, string])[]
}

function ChoiceFilter({ label, value, values, onChange }: ChoiceProps): JSX.Element {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {values.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}
