import { test } from 'vitest'
import { bombRecipes } from './mail.ts'
import { bombMails } from './bomb-recipes.ts'
import { peakMemoryMb, severalAtOnce, startLive } from './live.ts'
const MORE = {
  html: { include_html: true, body_max_chars: 20_000 },
  pdf: { extract_attachment_text: true },
  header: { include_all_headers: true },
} as const
test('x', {timeout:300000}, async()=>{
  const bombs=bombMails(bombRecipes())
  const live=await startLive(bombs.map(m=>m.make()), {...JSON.parse(process.env['X_ENV']??'{}'),NODE_OPTIONS:'--require=/tmp/e2e/memlog.cjs '+(process.env['X_OPT']??'')})
  const say=async(w:string)=>process.stderr.write(w+' HWM '+await peakMemoryMb(live.postern)+' '+Math.round(performance.now())+'\n')
  await severalAtOnce(4,bombs,async(_b,i)=>{
    await live.call('imap_get_message',{account_id:'default',message_id:live.idAt(i)})})
  await say('plain')
  await severalAtOnce(4,bombs,async(b,i)=>{ if(b.about!==undefined) await live.call('imap_get_message',{account_id:'default',message_id:live.idAt(i),...MORE[b.about]})})
  await say('more')
  await severalAtOnce(4,bombs,async(_b,i)=>{
    await live.call('imap_get_message_raw',{account_id:'default',message_id:live.idAt(i),max_bytes:1_000_000})})
  await say('raw')
  await live.close()
})
