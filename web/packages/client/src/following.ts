/** Follow the stream of one attempt to its end: open, resume after a break, close. */
import { backoffMs, pause } from './backoff'
import { type NumberedEvent, readEvents } from './eventStream'
import { ApiProblem, isPassing } from './problem'
import type { AttemptEvent } from './types'

export type StreamState = 'connecting' | 'open' | 'waiting' | 'closed'

/** Why following ended: told once, never after `close`. */
export type StreamEnd =
  | { readonly kind: 'finished' }
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly error: unknown }

export interface Following {
  /** Opens the stream: the first time by asking, later by attaching after `lastEventId`. */
  readonly open: (lastEventId: string | null, signal: AbortSignal) => Promise<Response>
  readonly onEvent: (event: AttemptEvent) => void
  readonly onEnd: (end: StreamEnd) => void
}

const MOST_FAILURES_IN_A_ROW = 6

/** Follow one attempt to its closing event, over as many connections as it takes. */
export async function followToEnd(
  { open, onEvent }: Pick<Following, 'open' | 'onEvent'>, signal: AbortSignal, become: (state: StreamState) => void = () => undefined,
): Promise<StreamEnd> {
  const progress: Progress = { lastId: null, isClosed: false, failures: 0 }
  while (progress.failures < MOST_FAILURES_IN_A_ROW) {
    become('connecting')
    progress.failures += 1
    let wishSeconds: number | null = null
    try {
      const response = await open(progress.lastId, signal)
      if (response.status === 204) return { kind: 'exhausted' }
      become('open')
      await readEvents(response, signal, (numbered) => taken(progress, numbered, onEvent),
        (milliseconds) => { wishSeconds = milliseconds / 1000 })
    } catch (error) {
      if (!isPassing(error)) return { kind: 'refused', error }
      if (error instanceof ApiProblem) wishSeconds = error.retryAfterSeconds
    }
    if (progress.isClosed) return { kind: 'finished' }
    if (signal.aborted) break
    become('waiting')
    await pause(backoffMs(progress.failures, wishSeconds), signal)
  }
  return { kind: 'lost' }
}

interface Progress {
  lastId: string | null
  isClosed: boolean
  failures: number
}

function taken(
  progress: Progress, { id, event }: NumberedEvent, onEvent: (event: AttemptEvent) => void,
): 'more' | 'enough' {
  if (progress.isClosed) return 'enough'
  if (isRepeated(id, progress.lastId)) return 'more'
  progress.failures = 0
  progress.lastId = id ?? progress.lastId
  progress.isClosed = event.event === 'completed' || event.event === 'error'
  onEvent(event)
  return progress.isClosed ? 'enough' : 'more'
}

function isRepeated(id: string | null, lastId: string | null): boolean {
  return id !== null && lastId !== null && Number(id) <= Number(lastId)
}
