#!/usr/bin/env node
/** `imap-mcp-oauth-bootstrap`: another name for `postern oauth`. */
process.argv.splice(2, 0, 'oauth')
await import('./postern.mjs')
