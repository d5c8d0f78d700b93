#!/usr/bin/env node
/**
 * The `postern` command: finds a Node that is new enough, then hands over to load.cjs.
 *
 * INVARIANT: this file runs on Node 18, if only to say which Node is needed. It imports nothing before it knows, since
 * importing built-in modules from ESM costs a start milliseconds that `require` does not.
 */
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 12)) {
  process
    .getBuiltinModule('node:module')
    .createRequire(import.meta.url)('./load.cjs')
    .start()
} else {
  process.exitCode = await runOnPrivateNode()
}

/** A clone on a machine with an old Node has a newer one in tools/node, once a script of package.json has run. */
async function runOnPrivateNode() {
  const { existsSync } = await import('node:fs')
  const { fileURLToPath } = await import('node:url')
  const tools = new URL('../tools/private-node.mjs', import.meta.url)
  const { privateNode, run } = existsSync(tools) ? await import(tools.href) : {}
  const node = privateNode?.()
  if (node !== undefined) return run(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)])
  process.stderr.write(
    `postern: Postern needs Node 22.12 or newer, and this is ${process.version}; in a clone, "npm run build" brings one along.\n`,
  )
  return 1
}
