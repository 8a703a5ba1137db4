/** Make responses that a test feeds by hand. */
import type { AttemptEvent } from '@youju/client'

export interface FedResponse {
  readonly response: Response
  readonly send: (event: AttemptEvent, id?: number) => void
  readonly end: () => void
  readonly wasCancelled: () => boolean
}

/** Make an open event stream. */
export function fedResponse(): FedResponse {
  const encoder = new TextEncoder()
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => { feed = controller },
    cancel: () => { isCancelled = true },
  })
  return {
    response: new Response(body),
    send: (event, id) => {
      const number = id === undefined ? '' : `id: ${id}\n`
      feed?.enqueue(encoder.encode(`${number}event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`))
    },
    end: () => feed?.close(),
    wasCancelled: () => isCancelled,
  }
}
