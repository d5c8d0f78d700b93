/**
 * A short name for a long text.
 *
 * INVARIANT: 128 bits that depend on every character: two texts of one account share a name by no accident. Whoever can choose
 * the text could make it happen, so nothing may rest on it but what is listed together.
 */
const LANES = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344] as const
const STEPS = [0x2397_5cc3, 0xb5bc_e54b, 0x85eb_ca6b, 0xc2b2_ae35] as const
const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567'

/** Twenty-six letters and digits. */
export function hashOf(text: string): string {
  let [a, b, c, d]: [number, number, number, number] = [...LANES]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const was = a
    a = b ^ Math.imul(a ^ code, STEPS[0])
    b = c ^ Math.imul(b ^ code, STEPS[1])
    c = d ^ Math.imul(c ^ code, STEPS[2])
    d = was ^ Math.imul(d ^ code, STEPS[3])
  }
  return inDigits(blend(a, b, c, d, text.length))
}

/** Each lane in turn takes in all the others, so that what changed one of them shows in all. */
function blend(...[a, b, c, d, length]: readonly [number, number, number, number, number]): readonly number[] {
  const lanes = [a ^ length, b, c, d]
  for (let round = 0; round < 8; round += 1) {
    const at = round % 4
    const others =
      (lanes[(at + 1) % 4] ?? 0) ^ rotated(lanes[(at + 2) % 4] ?? 0, 11) ^ rotated(lanes[(at + 3) % 4] ?? 0, 19)
    lanes[at] = mixed((lanes[at] ?? 0) ^ mixed(others))
  }
  return lanes
}

function rotated(lane: number, by: number): number {
  return (lane << by) | (lane >>> (32 - by))
}

/** Murmur's last step: every bit touches every other. */
function mixed(lane: number): number {
  const first = Math.imul(lane ^ (lane >>> 16), 0x85eb_ca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2_ae35)
  return second ^ (second >>> 16)
}

/** Four lanes of 32 bits are 128; 26 digits of 5 bits hold them. */
function inDigits(lanes: readonly number[]): string {
  let text = ''
  let [held, bits] = [0, 0]
  for (const lane of lanes) {
    for (let byte = 0; byte < 4; byte += 1) {
      held = ((held << 8) | ((lane >>> (byte * 8)) & 255)) & 0xffff
      bits += 8
      for (; bits >= 5; bits -= 5) text += DIGITS[(held >>> (bits - 5)) & 31]
    }
  }
  return text + DIGITS[(held << (5 - bits)) & 31]
}
