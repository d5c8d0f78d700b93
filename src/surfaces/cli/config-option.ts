/** The option that most commands share. */
export const CONFIG: [string, string] = [
  '--config <directory>',
  'the configuration tree; POSTERN_CONFIG_DIR when absent',
]
