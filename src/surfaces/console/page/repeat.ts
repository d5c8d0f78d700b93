/** Does a thing again and again, one at a time: asked for while it runs means once more after it. */
export function repeat(step: (signal: AbortSignal) => Promise<void>): { again(): void; end(): void } {
  const controller = new AbortController()
  let running = false
  let wanted = false
  const run = async (): Promise<void> => {
    running = true
    do {
      wanted = false
      await step(controller.signal)
    } while (wanted && !controller.signal.aborted)
    running = false
  }
  return {
    again: () => {
      wanted = true
      if (!running && !controller.signal.aborted) void run()
    },
    end: () => controller.abort(),
  }
}
