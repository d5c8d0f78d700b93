/** `postern doctor` with all that it looks at. */

import { CHECKS } from '../engine/doctor/checks.ts'
import { examine } from '../engine/doctor/examine.ts'
import { type DoctorChoice, doctorCommand } from '../surfaces/cli/doctor/command.ts'
import { openDoctor } from './doctor.ts'
import type { OperatorParts } from './operator.ts'
import { VERSION } from './postern.ts'

export async function doctorOn(choice: DoctorChoice, parts: OperatorParts): Promise<number> {
  const { log, terminal, isTerminal: interactive, columns, onStop } = parts
  const { world, close } = openDoctor(choice.config, { ...parts, program: process.argv[1] ?? '' })
  try {
    return await doctorCommand(choice, {
      examine: (onProgress, signal) => examine({ world, checks: CHECKS, log, onProgress, signal }),
      version: VERSION,
      terminal,
      interactive,
      columns,
      onStop,
    })
  } finally {
    await close()
  }
}
