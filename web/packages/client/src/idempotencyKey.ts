/** Make a key that names one wish, so that repeating the call cannot double it. */

/** Draw 128 random bits. `crypto.randomUUID` would do, but exists only on https pages. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
