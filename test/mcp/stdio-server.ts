/** A whole server process on stdio around the fake set, for tests that need a real process. */
import { serveOverStdio } from '../../src/surfaces/mcp/stdio.ts'
import { caller, FakeGate, fakeParts, fakeSet } from './fake-set.ts'

const service = serveOverStdio(
  fakeParts(new FakeGate()),
  { caller, sets: [fakeSet] },
  {
    input: process.stdin,
    output: process.stdout,
  },
)
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => service.stop())
await service.done
