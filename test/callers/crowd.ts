/** Many agents of a few callers at one server at once: asks, and checks every answer for whose it is. */
import { callOverHttp, type Reply, subjectsOf } from './requests.ts'
import { canaryOf, type HttpServer, type Scene, startScene, tokenOf, treeOf } from './scene.ts'
import { inbox } from './tool-calls.ts'

export const CALLERS = Array.from({ length: 8 }, (_, index) => `caller${index}`)

export interface Crowd {
  readonly asked: number
  readonly answered: number
  /** What was wrong with answers: empty where nothing was. */
  readonly faults: readonly string[]
  readonly byCaller: ReadonlyMap<string, number>
}

export async function startCrowdedScene(): Promise<{ readonly scene: Scene; readonly server: HttpServer }> {
  const scene = await startScene(treeOf(CALLERS))
  for (const id of CALLERS) await scene.deliver(id, canaryOf(id))
  return { scene, server: await scene.serve() }
}

/** Each agent asks again as soon as it has its answer. */
export async function crowd(url: string, agents: number, milliseconds: number): Promise<Crowd> {
  const end = Date.now() + milliseconds
  const byCaller = new Map<string, number>()
  const faults: string[] = []
  let [asked, answered] = [0, 0]
  const agent = async (index: number): Promise<void> => {
    const id = CALLERS[index % CALLERS.length] ?? ''
    for (let turn = index; Date.now() < end; turn++) {
      asked += 1
      const fault = await askOnce(url, id, turn).catch((error: unknown) => `${id}: lost: ${String(error)}`)
      if (fault === undefined) answered += 1
      else faults.push(fault)
      byCaller.set(id, (byCaller.get(id) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: agents }, (_, index) => agent(index)))
  return { asked, answered, faults, byCaller }
}

/** Undefined where the answer is right. */
async function askOnce(url: string, id: string, turn: number): Promise<string | undefined> {
  const ask = (tool: string, args: object = {}): Promise<Reply> => callOverHttp(url, tokenOf(id), tool, args)
  const other = CALLERS[(CALLERS.indexOf(id) + 1) % CALLERS.length] ?? ''
  const kind = turn % 4
  const reply =
    kind === 0
      ? await ask('get_caller_identity')
      : kind === 1
        ? await ask('list_messages', inbox(other))
        : await ask(kind === 2 ? 'list_messages' : 'describe_policy', kind === 2 ? inbox(id) : {})
  const foreign = CALLERS.filter((one) => one !== id && JSON.stringify(reply.payload).includes(canaryOf(one)))
  const right =
    kind === 1
      ? reply.payload?.reason === 'account_hidden'
      : kind === 2
        ? subjectsOf(reply).join() === canaryOf(id)
        : reply.payload?.['caller_id'] === id
  if (reply.status === 200 && right && foreign.length === 0) return undefined
  return `${id}, kind ${kind}: ${JSON.stringify(reply)}`
}
