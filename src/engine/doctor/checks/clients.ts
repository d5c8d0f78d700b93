/** The files in which programs that use MCP servers name us. */
import type { Check } from '../check.ts'
import { broken, type Finding, ok, warning } from '../finding.ts'
import type { ClientFile, ClientServer } from '../world.ts'

export const clientsCheck: Check = {
  name: 'clients',
  looksAt: 'how clients on this machine find Postern',
  async run(world) {
    const files = await world.clients()
    const findings = files.flatMap(findingsOf)
    if (findings.length > 0) return findings
    const [here] = files
    const cure = here === undefined ? 'CLIENT ("postern client list" names them)' : here.word
    return [warning('no client on this machine knows Postern', `run: postern client add ${cure}`)]
  },
}

function findingsOf(file: ClientFile): readonly Finding[] {
  const { client, path, problem, servers } = file
  if (problem !== undefined) {
    return [broken(`${path} ${problem}, so ${client} finds no server`, `mend it with an editor: ${path}`, client)]
  }
  return servers.map((server) => findingOf(server, file))
}

function findingOf(
  { name, missing, elsewhere, unanswered }: ClientServer,
  { client, word, path }: ClientFile,
): Finding {
  const again = `run: postern client add ${word}`
  const [first] = missing
  if (first !== undefined) {
    return broken(`its server "${name}" in ${path} names ${first}, which is not there`, again, client)
  }
  if (elsewhere !== undefined) {
    return warning(`its server "${name}" in ${path} starts another installation, ${elsewhere}`, again, client)
  }
  if (unanswered !== undefined) {
    const cure = `start it: postern --transport http, or ${again}`
    return warning(`its server "${name}" in ${path} is at ${unanswered}, where nobody answers`, cure, client)
  }
  return ok(`its server "${name}" is Postern`, client)
}
