/** Cut a text in two near its end. */

/** Leave `count` characters in the tail; characters outside the basic plane are never cut through. */
export function cutBeforeEnd(text: string, count: number): { head: string; tail: string } {
  const points = Array.from(text)
  const place = Math.max(points.length - count, 0)
  return { head: points.slice(0, place).join(''), tail: points.slice(place).join('') }
}
