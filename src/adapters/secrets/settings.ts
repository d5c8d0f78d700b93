/** Which store is used, and what it needs to know. */
export type SecretStoreSettings =
  | { readonly backend: 'file_dir'; readonly path: string }
  | { readonly backend: 'env_var' }
  | GpgSettings
  | { readonly backend: 'keychain' }

export interface GpgSettings {
  readonly backend: 'gpg_file'
  readonly path: string
  /** Whom secrets are encrypted to, best as a fingerprint. Without it the store is read-only. */
  readonly recipient?: string | undefined
  readonly gnupghome?: string | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>
