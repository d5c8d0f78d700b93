/**
 * Tests that need nothing but Node, and that `npm run test:fast` leaves to `npm test`: each takes three seconds or more of processor
 * time, as much as dozens of the others. A new test is fast until it is named here. To see how long each file takes:
 * `npm run test:fast -- --reporter=json`.
 */
export const LONG_TESTS: readonly string[] = [
  'src/adapters/mime/read-texts.test.ts',
  'src/adapters/mime/reader.test.ts',
  'src/adapters/mirror/search.test.ts',
  'src/adapters/mirror/store.test.ts',
  'src/core/audit/tampering.test.ts',
  'src/engine/sight/fact-keeper.test.ts',
  'test/config/junk.test.ts',
  'test/corpus/bombs-content.test.ts',
  'test/corpus/content-fidelity.test.ts',
  'test/corpus/content-techniques.test.ts',
  'test/corpus/local.test.ts',
  'test/corpus/mime.test.ts',
  'test/corpus/techniques.test.ts',
  'test/documents/bombs.test.ts',
  'test/documents/documents.test.ts',
  'test/documents/fuzz.test.ts',
  'test/documents/pdf-bombs.test.ts',
  'test/gmail-rest/contract.test.ts',
  'test/gmail-rest/feed.test.ts',
  'test/gmail-rest/source.test.ts',
  'test/imap-adapter/lying-server.test.ts',
  'test/mirror/texts.test.ts',
  'test/outbox/answers.test.ts',
  'test/policy/engine/properties.test.ts',
  'test/policy/engine/redaction.test.ts',
  'test/vault/posted.test.ts',
]
