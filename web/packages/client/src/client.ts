/** Speak the customer API: one function a call, problems become errors, bodies stay typed. */
import { ConnectionLost, problemOf } from './problem'
import type {
  Ask, Attempt, CitedPassage, Conversation, Escalation, Feedback, SessionToken,
} from './types'

type Body = object
interface Call {
  method?: string
  body?: Body
  headers?: Record<string, string>
  signal?: AbortSignal
}

export interface EscalationReading {
  escalation: Escalation | null
  etag: string | null
}

export type Client = ReturnType<typeof createClient>

/** Make a client for one API address, empty for the page's own; `token` is asked for at every call, so that a new session needs no new client. */
export function createClient(token: () => string | null, base = '') {
  async function send(path: string, call: Call = {}): Promise<Response> {
    const bearer = token()
    const request: RequestInit = {
      method: call.method ?? 'GET',
      cache: 'no-store',
      headers: {
        ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }),
        ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    }
    const response = await fetch(`${base}/v1${path}`, request).catch((cause: unknown) => {
      throw new ConnectionLost('no answer', { cause })
    })
    if (!response.ok && response.status !== 304) throw await problemOf(response)
    return response
  }

  async function read<T>(path: string, call?: Call): Promise<T> {
    const response = await send(path, { headers: { Accept: 'application/json' }, ...call })
    return (await response.json()) as T // the OpenAPI contract tests hold both ends to this shape
  }

  const attempts = (conversationId: string) => `/conversations/${encodeURIComponent(conversationId)}/attempts`
  const attempt = (conversationId: string, attemptId: string) =>
    `${attempts(conversationId)}/${encodeURIComponent(attemptId)}`

  return {
    openSession: (tenant: string) =>
      read<SessionToken>('/sessions', { method: 'POST', body: { tenant, channel: 'web' } }),

    openConversation: () => read<Conversation>('/conversations', { method: 'POST' }),

    readConversation: (conversationId: string) =>
      read<Conversation>(`/conversations/${encodeURIComponent(conversationId)}`),

    readAttempt: (conversationId: string, attemptId: string) =>
      read<Attempt>(attempt(conversationId, attemptId)),

    /** Ask, and stream the answer. Repeat: the same key attaches to the attempt that the first call made. */
    ask: (conversationId: string, ask: Ask, key: string, signal: AbortSignal) =>
      send(attempts(conversationId), { method: 'POST', body: ask, headers: streaming(key), signal }),

    /** Answer again as a new attempt, and stream it. Repeat: as with `ask`. */
    retry: (conversationId: string, attemptId: string, key: string, signal: AbortSignal) =>
      send(`${attempt(conversationId, attemptId)}/retry`, { method: 'POST', headers: streaming(key), signal }),

    /** Attach to the stream of an attempt, after the last event that was seen. */
    attach: (conversationId: string, attemptId: string, lastEventId: string | null, signal: AbortSignal) =>
      send(`${attempt(conversationId, attemptId)}/events`, {
        headers: {
          Accept: 'text/event-stream',
          ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }),
        },
        signal,
      }),

    cancel: async (conversationId: string, attemptId: string) => {
      await send(`${attempt(conversationId, attemptId)}/cancel`, { method: 'POST' })
    },

    judge: (conversationId: string, attemptId: string, feedback: Feedback) =>
      read<Feedback>(`${attempt(conversationId, attemptId)}/feedback`, { method: 'PUT', body: feedback }),

    readPassage: (conversationId: string, attemptId: string, index: number) =>
      read<CitedPassage>(`${attempt(conversationId, attemptId)}/citations/${index}`),

    escalate: (conversationId: string, attemptId: string, key: string) =>
      read<Escalation>(`${attempt(conversationId, attemptId)}/escalations`, {
        method: 'POST',
        body: {},
        headers: { Accept: 'application/json', 'Idempotency-Key': key },
      }),

    /** Read where an escalation stands; `escalation` is null when nothing changed since `etag`. */
    readEscalation: async (
      conversationId: string, escalationId: string, etag: string | null,
    ): Promise<EscalationReading> => {
      const path = `/conversations/${encodeURIComponent(conversationId)}/escalations/${encodeURIComponent(escalationId)}`
      const response = await send(path, { headers: etag === null ? {} : { 'If-None-Match': etag } })
      if (response.status === 304) return { escalation: null, etag }
      return { escalation: (await response.json()) as Escalation, etag: response.headers.get('ETag') } // as in `read`
    },
  }
}

function streaming(key: string): Record<string, string> {
  return { Accept: 'text/event-stream', 'Idempotency-Key': key }
}

