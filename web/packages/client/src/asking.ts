/** Ask, or ask again, and follow the answer: the whole way from a question to its closing event. */
import type { Client } from './client'
import { followToEnd, type StreamEnd } from './following'
import { newIdempotencyKey } from './idempotencyKey'
import type { Ask, AttemptEvent } from './types'

export interface Asking {
  readonly onEvent: (event: AttemptEvent) => void
  readonly signal: AbortSignal
  /** Names the wish; keep it to repeat the same call after a reload. */
  readonly key?: string
}

/** Ask, and hand on each event once. Until the attempt is known, a break repeats the question with its key. */
export function askAndFollow(client: Client, conversationId: string, ask: Ask, asking: Asking): Promise<StreamEnd> {
  const key = asking.key ?? newIdempotencyKey()
  return followFrom(client, conversationId, (signal) => client.ask(conversationId, ask, key, signal), asking)
}

/** Answer again as a new attempt, and hand on each event once. */
export function retryAndFollow(
  client: Client, conversationId: string, attemptId: string, asking: Asking,
): Promise<StreamEnd> {
  const key = asking.key ?? newIdempotencyKey()
  return followFrom(client, conversationId, (signal) => client.retry(conversationId, attemptId, key, signal), asking)
}

function followFrom(
  client: Client, conversationId: string, begin: (signal: AbortSignal) => Promise<Response>, asking: Asking,
): Promise<StreamEnd> {
  let attemptId: string | null = null
  return followToEnd({
    open: (lastEventId, signal) =>
      attemptId === null ? begin(signal) : client.attach(conversationId, attemptId, lastEventId, signal),
    onEvent: (event) => {
      if (event.event === 'session') attemptId = event.attemptId
      asking.onEvent(event)
    },
  }, asking.signal)
}
