/** A whole server process on stdio that asks, for tests that need a real process. */
import { serveOverStdio } from '../../src/surfaces/mcp/stdio.ts'
import { AskingGate, askingParts, askingSet, caller } from './elicitation-gate.ts'

const streams = { input: process.stdin, output: process.stdout }
await serveOverStdio(askingParts(new AskingGate()), { caller, sets: [askingSet] }, streams).done
