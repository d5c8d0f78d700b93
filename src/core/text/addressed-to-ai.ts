/**
 * Text that speaks to an AI instead of a person: a hint for the agent, never a judgement.
 *
 * INVARIANT: linear in the size of the text. Whoever wants to can write around it; what protects the mailbox is the policy.
 */

const AI =
  '(?:ai|llm|gpt|language model|chat ?bot|(?:ai|virtual|digital|automated|email) (?:assistant|agent|model|system))'
const GAP = '[^.!?\\n]{0,60}?'

const PHRASES = [
  `(?:note|message|instructions?|attention|notice|dear|hello|hi|hey)[,:]? (?:to |for )?(?:the |any |all |your )?${AI}s?\\b`,
  `(?:if|as) you are an? ${AI}\\b`,
  `${AI}s?(?: reading this)?[,:]? (?:must|should|please|is required to|are required to|is instructed to|has to)\\b`,
  `(?:ignore|disregard|forget|override|bypass) ${GAP}(?:previous|prior|earlier|above|preceding|system|safety|your) ${GAP}(?:instructions?|prompts?|rules|guidelines|directives)\\b`,
  `(?:new|updated|urgent) (?:instructions?|policy|directive|task) (?:from|by) your (?:operator|developer|owner|creator)s?\\b`,
  `(?:call|invoke) the (?:[\\w-]+ ){0,2}(?:tool|function) (?:that|which|to|with)\\b`,
  `(?:your|the) system prompt\\b`,
]

/** Marks by which chat templates tell who speaks. */
const TEMPLATE = '<\\|?(?:im_start|im_end|system|assistant|endoftext|start_header_id)\\|?>|\\[/?INST\\]|<</?SYS>>'

const ADDRESSED = new RegExp(
  `\\b(?:${PHRASES.map((phrase) => phrase.replaceAll(' ', '[ \\n]{1,3}')).join('|')})|${TEMPLATE}`,
  'gi',
)
const MOST_CHARS = 200_000
const MOST = 20

/** How many passages of a text address an AI, as far as ordinary phrases tell; at most 20. */
export function passagesForAi(text: string): number {
  let found = 0
  for (const _ of text.slice(0, MOST_CHARS).matchAll(ADDRESSED)) if (++found === MOST) break
  return found
}
