/** Say how long to wait before trying again. */

const FIRST_MS = 500
const LONGEST_MS = 15_000

/** Double the wait with every failure in a row, up to fifteen seconds; a wish of the server comes first. */
export function backoffMs(failuresInARow: number, retryAfterSeconds: number | null = null): number {
  if (retryAfterSeconds !== null) return Math.min(Math.max(retryAfterSeconds, 0) * 1000, LONGEST_MS)
  return Math.min(FIRST_MS * 2 ** Math.max(failuresInARow - 1, 0), LONGEST_MS)
}

/** Wait, or return at once when `signal` aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const timer = setTimeout(done, milliseconds)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
