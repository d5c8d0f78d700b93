/** All the answers, put together. */
import type { Agent } from '../../../core/setup/agent.ts'
import type { CustomChoice } from '../../../core/setup/preset.ts'
import type { Server } from '../../../core/setup/servers.ts'
import {
  type AccountSettings,
  type MirrorDepth,
  passwordRef,
  refreshTokenRef,
  type SecretPlace,
  smtpPasswordRef,
} from '../../../core/setup/tree-change.ts'
import type { Login } from './ask-login.ts'
import type { Whereabouts } from './ask-servers.ts'
import type { SetupChoice } from './choice.ts'
import type { GrantSteps, SetUpAccount, SetupWish } from './desk.ts'
import type { SetupParts } from './setup.ts'

export interface Answers {
  readonly id: string
  readonly address: string
  readonly where: Whereabouts
  readonly smtp: Server | undefined
  readonly users: { readonly imap: string; readonly smtp: string }
  readonly login: Login
  readonly mirror: MirrorDepth
  readonly secrets: SecretPlace
  readonly agent: Agent
  readonly access: CustomChoice | undefined
  readonly choice: SetupChoice
  readonly there: SetUpAccount | undefined
}

export function wishFrom(answers: Answers): SetupWish {
  const { secrets, agent, access, login } = answers
  return {
    account: settingsFrom(answers),
    secrets,
    ...agent,
    ...(access !== undefined && { access }),
    ...(login.way === 'password' && {
      roles: login.tried.roles,
      password: login.password,
      ...(login.smtpPassword !== undefined && { smtpPassword: login.smtpPassword }),
    }),
  }
}

/** Of Google's and Microsoft's accounts the kind says where their servers are. */
function settingsFrom({ id, address, where, smtp, users, login, mirror, choice, there }: Answers): AccountSettings {
  const known = where.kind !== 'imap-standard'
  const oauth = login.way === 'oauth' || (login.way === 'kept' && there?.auth === 'xoauth2')
  return {
    id,
    kind: where.kind,
    address,
    user: users.imap,
    ...(!known && { imap: where.imap }),
    ...(!known && smtp !== undefined && { smtp, ...(users.smtp !== users.imap && { smtpUser: users.smtp }) }),
    ...(login.way === 'password' && login.smtpPassword !== undefined && { smtpSecretRef: smtpPasswordRef(id) }),
    ...(choice.caFile !== undefined && { caFile: choice.caFile }),
    auth: oauth ? 'xoauth2' : 'password',
    secretRef: (login.way === 'kept' && there?.secretRef) || (oauth ? refreshTokenRef(id) : passwordRef(id)),
    mirror,
  }
}

export function grantSteps({ paste }: SetupChoice, { prompter, openBrowser }: SetupParts): GrantSteps {
  return {
    paste,
    show(url) {
      prompter.say(`Open this address in your browser and grant access:\n\n${url}\n`)
      if (!paste && prompter.interactive) void openBrowser(url)
    },
    pasted: () =>
      prompter.text({ flag: '--paste', message: 'Paste the address of the page that the browser could not reach' }),
  }
}
