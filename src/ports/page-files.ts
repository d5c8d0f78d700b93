/** The files of the console's page: these, and no others. */
export const PAGE_FILES = ['index.html', 'app.js', 'app.css'] as const

export type PageFileName = (typeof PAGE_FILES)[number]

export interface PageFiles {
  /** Undefined where the page was not built. */
  read(name: PageFileName): Promise<PageFile | undefined>
}

export interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The same, for those who can unpack it. */
  readonly gzipped: Uint8Array<ArrayBuffer>
  /** Another one for other content. */
  readonly etag: string
}
