/** Read the events of one response, and end it when the other side has gone silent. */
import { createParser } from 'eventsource-parser'
import type { AttemptEvent } from './types'

/** Three heartbeats missed: the server promises one at least every fifteen seconds. */
export const SILENCE_MS = 45_000

export interface NumberedEvent {
  readonly id: string | null
  readonly event: AttemptEvent
}

/** Hand on each event until `onEvent` has had enough, the response ends or falls silent, or `signal` aborts; `onRetry` hears how soon to attach again. */
export async function readEvents(
  response: Response, signal: AbortSignal, onEvent: (numbered: NumberedEvent) => 'more' | 'enough',
  onRetry: (milliseconds: number) => void = () => undefined,
): Promise<void> {
  if (response.body === null) return
  const reader = response.body.getReader()
  const stop = () => void reader.cancel().catch(() => undefined)
  const decoder = new TextDecoder()
  const parser = createParser({
    onRetry,
    onEvent: (message) => {
      const event = eventOf(message.event, message.data)
      if (event === null || signal.aborted) return
      if (onEvent({ id: message.id ?? null, event }) === 'enough') stop()
    },
  })
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const { done, value } = await nextChunk(reader, stop)
      if (done || signal.aborted) return
      parser.feed(decoder.decode(value, { stream: true }))
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Read on. A broken connection is an end like any other: the caller attaches again. */
async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>, stop: () => void) {
  const silence = setTimeout(stop, SILENCE_MS)
  try {
    return await reader.read()
  } catch {
    return { done: true as const, value: undefined }
  } finally {
    clearTimeout(silence)
  }
}

function eventOf(name: string | undefined, data: string): AttemptEvent | null {
  try {
    const body: unknown = JSON.parse(data)
    if (typeof body !== 'object' || body === null || name === undefined) return null
    return { ...body, event: name } as AttemptEvent // the contract tests hold the server to this shape
  } catch {
    return null
  }
}
