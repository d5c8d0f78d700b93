/** Where the worker is: beside this file in the sources; the build writes the name of its bundle here instead. */
export const CONTENT_WORKER: URL = new URL('./content.worker.ts', import.meta.url)
