/** Know the limits of the customer API and count as it does. */

export const QUESTION_LIMIT = 10_000
export const COMMENT_LIMIT = 500

/** Count Unicode code points: an emoji or a rare character outside the basic plane counts once. */
export function codePoints(text: string): number {
  return Array.from(text).length
}
