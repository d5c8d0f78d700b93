import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { __POSTERN_VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/setup/global.ts', 'test/setup/folder.ts'],
    setupFiles: ['test/setup/seed.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Of those tests that say they may: each has a server and a program of its own, and waits for them most of the time.
    maxConcurrency: process.env['POSTERN_HIJACK'] === 'every' ? 8 : 4,
    // Worker threads read our TypeScript through WebAssembly; V8 has been seen to abort where it optimises calls out of it.
    execArgv: ['--wasm-wrapper-tiering-budget=1000000000'],
    // A loaded machine is slow, not wrong.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
  },
})
