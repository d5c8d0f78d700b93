/** What an agent may do with the account, in plain words. */
import type { Level } from '../../../core/policy/level.ts'
import { type CustomChoice, choiceOf, DEEDS, type Deed, PRESETS, type PresetName } from '../../../core/setup/preset.ts'
import { splitNames } from '../choices.ts'
import type { SetupChoice } from './choice.ts'
import type { Prompter } from './prompter.ts'

type Asked = Pick<SetupChoice, 'preset' | 'folders' | 'level' | 'may'>

/** Undefined where what the policy says stays as it is. */
export async function askAccess(given: Asked, isNew: boolean, prompter: Prompter): Promise<CustomChoice | undefined> {
  const preset = given.preset ?? (await askPreset(isNew, prompter))
  if (preset === 'keep') return undefined
  return preset === 'custom' ? askCustom(given, prompter) : choiceOf(preset)
}

function askPreset(isNew: boolean, prompter: Prompter): Promise<PresetName | 'keep'> {
  const presets = PRESETS.map(({ name, label, hint }) => ({ value: name, label, hint }))
  const keep = { value: 'keep', label: 'As it is', hint: 'what the policy says of this account stays' } as const
  return prompter.choose<PresetName | 'keep'>({
    flag: '--preset',
    message: 'What may the agent do?',
    options: isNew ? presets : [keep, ...presets],
    initial: isNew ? 'look' : 'keep',
  })
}

async function askCustom({ folders, level, may }: Asked, prompter: Prompter): Promise<CustomChoice> {
  return {
    folders: wanted(folders ?? splitNames(await askFolders(prompter))),
    level: level ?? (await askLevel(prompter)),
    may: may ?? (await askDeeds(prompter)),
  }
}

function wanted(folders: readonly string[]): readonly string[] {
  return folders.includes('all') ? [] : folders
}

function askFolders(prompter: Prompter): Promise<string> {
  return prompter.text({
    flag: '--folders',
    message: 'Which folders may it see? Paths with commas between them, or "all".',
    initial: 'INBOX',
  })
}

function askLevel(prompter: Prompter): Promise<Level> {
  return prompter.choose<Level>({
    flag: '--level',
    message: 'How much of a message may it see?',
    options: [
      { value: 'ENVELOPE', label: 'Sender, recipients, subject and date' },
      { value: 'BODY', label: 'Everything but attachments' },
      { value: 'FULL', label: 'Everything' },
    ],
    initial: 'ENVELOPE',
  })
}

const DEED_WORDS: Readonly<Record<Deed, string>> = {
  mark: 'mark mail as read, tag it, flag it',
  file: 'move mail between these folders (for the tool sets imap and policy)',
  draft: 'write drafts',
  send: 'send letters that you have approved',
}

function askDeeds(prompter: Prompter): Promise<readonly Deed[]> {
  return prompter.several<Deed>({
    flag: '--may',
    message: 'What else may it do? None of these needs to be chosen.',
    options: DEEDS.map((deed) => ({ value: deed, label: DEED_WORDS[deed] })),
    initial: [],
  })
}
