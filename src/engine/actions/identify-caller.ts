/** Who the server takes the caller for. */
import type { Perform } from './workshop.ts'

export const identifyCaller: Perform<'identify_caller'> = async (_action, { callerId }) => ({ callerId })
