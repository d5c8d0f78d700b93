/** The table of checks, in the order in which a person would mend things. */
import type { Check } from './check.ts'
import { attachmentsCheck } from './checks/attachments.ts'
import { auditCheck } from './checks/audit.ts'
import { capabilitiesCheck } from './checks/capabilities.ts'
import { clientsCheck } from './checks/clients.ts'
import { clockCheck } from './checks/clock.ts'
import { configurationCheck } from './checks/configuration.ts'
import { directoryCheck } from './checks/directory.ts'
import { diskCheck } from './checks/disk.ts'
import { filesCheck } from './checks/files.ts'
import { grantsCheck } from './checks/grants.ts'
import { lettersCheck } from './checks/letters.ts'
import { lineCheck } from './checks/line.ts'
import { loginCheck } from './checks/login.ts'
import { mirrorCheck } from './checks/mirror.ts'
import { portCheck } from './checks/port.ts'
import { runtimeCheck } from './checks/runtime.ts'
import { secretsCheck } from './checks/secrets.ts'
import { sendingCheck } from './checks/sending.ts'
import { transfersCheck } from './checks/transfers.ts'
import { variablesCheck } from './checks/variables.ts'
import { vaultCheck } from './checks/vault.ts'

export const CHECKS: readonly Check[] = [
  runtimeCheck,
  configurationCheck,
  variablesCheck,
  secretsCheck,
  grantsCheck,
  lineCheck,
  loginCheck,
  capabilitiesCheck,
  clockCheck,
  directoryCheck,
  diskCheck,
  filesCheck,
  attachmentsCheck,
  mirrorCheck,
  auditCheck,
  vaultCheck,
  sendingCheck,
  lettersCheck,
  transfersCheck,
  portCheck,
  clientsCheck,
]
