/** Builds the console's page into a folder, with the options that the program is built with. */
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as esbuild from 'esbuild'

const PAGE = join(import.meta.dirname, '../../src/surfaces/console/page')

export async function buildPage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await copyFile(join(PAGE, 'index.html'), join(folder, 'index.html'))
  await esbuild.build({
    entryPoints: { app: join(PAGE, 'main.tsx') },
    outdir: folder,
    bundle: true,
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'es2022',
    logLevel: 'error',
  })
  await esbuild.build({
    entryPoints: { app: join(PAGE, 'page.css') },
    outdir: folder,
    bundle: true,
    minify: true,
    logLevel: 'error',
  })
}
