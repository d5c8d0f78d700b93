/** The manifest of an MCP bundle as its specification, version 0.3, has it: nothing that it does not know is allowed. */
import { z } from 'zod'

const command = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
})

const asked = z.strictObject({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.string().min(1),
  description: z.string().min(1),
  required: z.boolean().optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  multiple: z.boolean().optional(),
  sensitive: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
})

export const manifestSchema = z.strictObject({
  manifest_version: z.literal('0.3'),
  name: z.string().min(1),
  display_name: z.string().optional(),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  description: z.string().min(1),
  long_description: z.string().optional(),
  author: z.strictObject({ name: z.string().min(1), email: z.string().optional(), url: z.url().optional() }),
  repository: z.strictObject({ type: z.string(), url: z.url() }).optional(),
  homepage: z.url().optional(),
  documentation: z.url().optional(),
  support: z.url().optional(),
  icon: z.string().optional(),
  screenshots: z.array(z.string()).optional(),
  server: z.strictObject({
    type: z.enum(['node', 'python', 'binary']),
    entry_point: z.string().min(1),
    mcp_config: command.extend({ platform_overrides: z.record(z.string(), command.partial()).optional() }),
  }),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string().optional() })).optional(),
  tools_generated: z.boolean().optional(),
  prompts_generated: z.boolean().optional(),
  keywords: z.array(z.string()).optional(),
  license: z.string().optional(),
  privacy_policies: z.array(z.url()).optional(),
  compatibility: z
    .strictObject({
      claude_desktop: z.string().optional(),
      platforms: z.array(z.enum(['darwin', 'win32', 'linux'])).optional(),
      runtimes: z.strictObject({ node: z.string().optional(), python: z.string().optional() }).optional(),
    })
    .optional(),
  user_config: z.record(z.string(), asked).optional(),
})
