import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { askAndFollow, type AttemptEvent, createClient, type StreamEnd } from '@youju/client'

const recorded = (name: string) =>
  readFileSync(`../clients/conformance/transcripts/${name}.sse`, 'utf-8').trimEnd().split('\n\n')

const stream = (frames: readonly string[]) =>
  new Response(frames.map((frame) => `${frame}\n\n`).join(''), { headers: { 'Content-Type': 'text/event-stream' } })

interface Call { url: string, headers: Record<string, string> }

/** A server that gives these answers, one a call. */
function serving(answers: readonly (() => Response)[]) {
  const calls: Call[] = []
  vi.stubGlobal('fetch', (url: string, request: RequestInit) => {
    calls.push({ url, headers: request.headers as Record<string, string> }) // our own client sends a plain record
    const answer = answers[calls.length - 1]
    return answer === undefined ? Promise.reject(new TypeError('no network')) : Promise.resolve(answer())
  })
  return calls
}

async function heard(signal = new AbortController().signal): Promise<{ names: string[], end: StreamEnd }> {
  const names: string[] = []
  const onEvent = (event: AttemptEvent) => { names.push(event.event) }
  const asked = askAndFollow(createClient(() => 'token'), 'cnv_1', { question: '问' }, { onEvent, signal })
  await vi.runAllTimersAsync()
  return { names, end: await asked }
}

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test.each(['answer', 'partial-answer', 'refusal-conflict', 'failure-taken-back', 'failure-timeout'])(
  'a recorded %s is heard once, although the connection breaks after its second event', async (name) => {
    const frames = recorded(name)
    const calls = serving([() => stream(frames.slice(0, 2)), () => stream(frames.slice(1))])

    const { names, end } = await heard()

    expect(names).toEqual(frames.map((frame) => /^event: (.*)$/m.exec(frame)?.[1]))
    expect(end).toEqual({ kind: 'finished' })
    expect(calls[1]?.url).toMatch(/\/v1\/conversations\/cnv_1\/attempts\/att_0+1\/events$/)
    expect(calls[1]?.headers['Last-Event-ID']).toBe('2')
  })

test('until the attempt is known, the question is repeated with its key', async () => {
  const calls = serving([() => stream([]), () => stream(recorded('answer'))])

  const { names } = await heard()

  expect(names.at(-1)).toBe('completed')
  expect(new Set(calls.map((call) => call.headers['Idempotency-Key'])).size).toBe(1)
  expect(calls).toHaveLength(2)
})

test('a stopping server says how soon to attach again', async () => {
  const frames = recorded('answer')
  const calls = serving([() => stream(['retry: 9000', ...frames.slice(0, 2)]), () => stream(frames.slice(2))])
  const asked = heardSlowly()

  await vi.advanceTimersByTimeAsync(8_900)
  expect(calls).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(200)

  expect(calls).toHaveLength(2)
  expect(await asked).toEqual({ kind: 'finished' })
})

test('a no ends it at once', async () => {
  serving([() => new Response('{"code":"ATTEMPT_PENDING"}', { status: 409 })])

  expect((await heard()).end).toMatchObject({ kind: 'refused', error: { code: 'ATTEMPT_PENDING' } })
})

test('who goes away asks no more', async () => {
  const gone = new AbortController()
  const calls = serving([() => { gone.abort(); return stream([]) }])

  expect((await heard(gone.signal)).end).toEqual({ kind: 'lost' })
  expect(calls).toHaveLength(1)
})

function heardSlowly(): Promise<StreamEnd> {
  const { signal } = new AbortController()
  return askAndFollow(createClient(() => 'token'), 'cnv_1', { question: '问' }, { onEvent: () => undefined, signal })
}
