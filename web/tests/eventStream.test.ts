import { expect, test } from 'vitest'
import { type NumberedEvent, readEvents } from '@youju/client'

async function read(...chunks: Uint8Array[]): Promise<NumberedEvent[]> {
  const seen: NumberedEvent[] = []
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  await readEvents(new Response(body), new AbortController().signal, (event) => {
    seen.push(event)
    return 'more'
  })
  return seen
}

const bytes = (text: string) => new TextEncoder().encode(text)

test('a character cut in two by the network arrives whole', async () => {
  const whole = bytes('id: 1\nevent: delta\ndata: {"text":"退"}\n\n')

  const seen = await read(whole.slice(0, 33), whole.slice(33))

  expect(seen).toEqual([{ id: '1', event: { event: 'delta', text: '退' } }])
})

test('the name comes from the event line, not from the body', async () => {
  const seen = await read(bytes('event: heartbeat\ndata: {"event":"completed"}\n\n'))

  expect(seen).toEqual([{ id: null, event: { event: 'heartbeat' } }])
})

test.each(['event: delta\ndata: {"text":\n\n', 'event: delta\ndata: 7\n\n', 'data: {}\n\n', ': comment\n\n'])(
  'what is no event is passed over: %j', async (text) => {
    expect(await read(bytes(text))).toEqual([])
  },
)
