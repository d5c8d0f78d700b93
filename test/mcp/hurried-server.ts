/** The server of stdio-server.ts with less patience when it must end. */
import { serveOverStdio } from '../../src/surfaces/mcp/stdio.ts'
import { caller, FakeGate, fakeParts, fakeSet } from './fake-set.ts'

const streams = { input: process.stdin, output: process.stdout }
await serveOverStdio(fakeParts(new FakeGate()), { caller, sets: [fakeSet] }, streams, 600).done
