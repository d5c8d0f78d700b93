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
import type { Whereabouts } from './ask-servers.ts'
import type { SetupChoice } from './choice.ts'
import type { GrantSteps, SetUpAccount, SetupWish } from './desk.ts'
import { type Login, ownSmtpUser, type Users } from './login.ts'
import type { SetupParts } from './setup.ts'

export interface Answers {
  readonly id: string
  readonly address: string
  readonly where: Whereabouts
  readonly smtp: Server | undefined
  readonly users: Users
  readonly caFile: string | undefined
  readonly login: Login
  readonly mirror: MirrorDepth
  readonly secrets: SecretPlace
  readonly agent: Agent
  readonly access: CustomChoice | undefined
  readonly there: SetUpAccount | undefined
}

export function wishFrom(answers: Answers): SetupWish {
  const { secrets, agent, access, login } = answers
  return {
    account: settingsFrom(answers),
    secrets,
    ...agent,
    ...(access !== undefined && { access }),
    ...(login.way !== 'oauth' && login.tried !== undefined && { roles: login.tried.roles }),
    ...(login.way === 'password' && { password: login.password }),
    ...(login.way !== 'oauth' && login.smtpPassword !== undefined && { smtpPassword: login.smtpPassword }),
  }
}

/** Of Google's and Microsoft's accounts the kind says where their servers are. */
function settingsFrom({ id, address, where, smtp, users, login, mirror, caFile, there }: Answers): AccountSettings {
  const known = where.kind !== 'imap-standard'
  const oauth = login.way === 'oauth' || (login.way === 'kept' && there?.auth === 'xoauth2')
  // A name of its own that was written there before would stay, so it is written even where it is none any more.
  const isNamed = users.smtp !== users.imap || ownSmtpUser(there) !== undefined
  const hasOwn = login.way !== 'oauth' && login.smtpPassword !== undefined
  const smtpSecretRef = hasOwn ? smtpPasswordRef(id) : smtp && there?.smtp?.secretRef
  return {
    id,
    kind: where.kind,
    address,
    user: users.imap,
    ...(!known && { imap: where.imap }),
    ...(!known && smtp !== undefined && { smtp, ...(isNamed && { smtpUser: users.smtp }) }),
    ...(smtpSecretRef !== undefined && { smtpSecretRef }),
    ...(caFile !== undefined && { caFile }),
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
