/** A process of its own that keeps so many calls of one caller under way until it is ended. */
import { inbox, toolCall } from './tool-calls.ts'

const [url = '', token = '', account = '', atOnce = '0'] = process.argv.slice(2)
const headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  Authorization: `Bearer ${token}`,
}
let answered = 0

async function callForEver(id: number): Promise<void> {
  for (;;) {
    const body = JSON.stringify(toolCall(id, 'list_messages', inbox(account)))
    const response = await fetch(url, { method: 'POST', headers, body })
    await response.text()
    if (response.status !== 200) throw new Error(`status ${response.status}`)
    answered += 1
    if (answered === Number(atOnce)) process.stdout.write('flooding\n')
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, (_, id) => callForEver(id)))
