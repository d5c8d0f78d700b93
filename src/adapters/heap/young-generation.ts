/**
 * Keeps the part of V8's heap for new objects at the size it has, 16 MB.
 *
 * Left alone it grows to 128 MB and more while large messages pass through, all of it garbage that nobody collects in
 * time; collecting a smaller one more often costs nothing that can be measured here. The limit is no option of a running
 * process, the growth is. Cached code stays valid.
 */
export function keepYoungGenerationSmall(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
}
