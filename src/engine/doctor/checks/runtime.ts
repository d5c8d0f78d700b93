/** Node, and the packages that come with Postern. */
import type { Check } from '../check.ts'
import { broken, ok } from '../finding.ts'

export const runtimeCheck: Check = {
  name: 'node',
  looksAt: 'Node and the packages that an installation brings along',
  async run(world) {
    const { node, needed, unloadable } = await world.runtime()
    if (isOlder(node, needed)) {
      return [broken(`this is Node ${node}, and ${needed} or newer is needed`, 'install Node 24, then start again')]
    }
    if (unloadable.length === 0) return [ok(`Node ${node}`)]
    const cure = 'install Postern again with the Node that runs it: npm install -g postern'
    return unloadable.map((name) => broken(`the package ${name} cannot be loaded by Node ${node}`, cure, name))
  },
}

function isOlder(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version)
  const [neededMajor = 0, neededMinor = 0] = numbersOf(needed)
  return major < neededMajor || (major === neededMajor && minor < neededMinor)
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map(Number)
}
