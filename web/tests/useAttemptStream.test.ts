import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EffectScope, effectScope } from 'vue'
import { ApiProblem, ConnectionLost } from '@youju/client'
import type { AttemptEvent, StreamEnd } from '@youju/client'
import { useAttemptStream } from '@/chat/useAttemptStream'
import { answered, delta, eventsOf } from './examples'
import { type FedResponse, fedResponse } from './streams'

type Opening = () => Promise<Response>
let scope: EffectScope

beforeEach(() => {
  vi.useFakeTimers()
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

function following(...openings: Opening[]) {
  const seen: AttemptEvent[] = []
  const ends: StreamEnd[] = []
  const lastIds: (string | null)[] = []
  const stream = scope.run(useAttemptStream)
  if (stream === undefined) throw new Error('the scope is stopped')
  void stream.follow({
    open: (lastId) => {
      lastIds.push(lastId)
      return (openings[lastIds.length - 1] ?? openings.at(-1) ?? unreachable)()
    },
    onEvent: (event) => { seen.push(event) },
    onEnd: (end) => { ends.push(end) },
  })
  return { stream, seen, ends, lastIds }
}

const unreachable = () => Promise.reject(new ConnectionLost('down'))
const opens = (fed: FedResponse) => () => Promise.resolve(fed.response)
const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds)

test('events are handed on in order and the closing event ends the stream', async () => {
  const fed = fedResponse()
  const { stream, seen, ends } = following(opens(fed))
  await settle()
  expect(stream.state.value).toBe('open')

  eventsOf(answered).forEach((event, place) => { fed.send(event, place + 1) })
  await settle()

  expect(seen.map(({ event }) => event)).toEqual(eventsOf(answered).map(({ event }) => event))
  expect(ends).toEqual([{ kind: 'finished' }])
  expect(stream.state.value).toBe('closed')
  expect(fed.wasCancelled()).toBe(true)
})

test('a broken stream is attached to again after the last event that was seen', async () => {
  const [first, second] = [fedResponse(), fedResponse()]
  const { stream, seen, lastIds } = following(opens(first), opens(second))
  await settle()
  first.send(delta('甲'), 3)
  first.end()
  await settle()
  expect(stream.state.value).toBe('waiting')

  await settle(500)
  second.send(delta('甲'), 3)
  second.send(delta('乙'), 4)
  await settle()

  expect(lastIds).toEqual([null, '3'])
  expect(seen).toEqual([delta('甲'), delta('乙')])
})

test('silence for more than 45 seconds is a broken stream', async () => {
  const [first, second] = [fedResponse(), fedResponse()]
  const { lastIds } = following(opens(first), opens(second))
  await settle(44_000)
  first.send({ event: 'heartbeat' })
  await settle(44_000)
  expect(lastIds).toHaveLength(1)

  await settle(2_000)

  expect(first.wasCancelled()).toBe(true)
  expect(lastIds).toHaveLength(2)
})

test('what cannot be reached six times in a row is lost', async () => {
  const { ends, lastIds } = following(unreachable)

  await settle(60_000)

  expect(lastIds).toHaveLength(6)
  expect(ends).toEqual([{ kind: 'lost' }])
})

test('a no of the server is final, a 503 is not', async () => {
  const conflict = new ApiProblem('CONFLICT', 409)
  const busy = () => Promise.reject(new ApiProblem('UNAVAILABLE', 503, 2))
  const { ends, lastIds } = following(busy, () => Promise.reject(conflict))
  await settle(1_900)
  expect(lastIds).toHaveLength(1)

  await settle(200)

  expect(ends).toEqual([{ kind: 'refused', error: conflict }])
})

test('nothing after the last event means that the rest must be read', async () => {
  const { ends } = following(() => Promise.resolve(new Response(null, { status: 204 })))

  await settle()

  expect(ends).toEqual([{ kind: 'exhausted' }])
})

test('leaving the page closes the stream and hears nothing more', async () => {
  const fed = fedResponse()
  const { stream, lastIds, ends } = following(opens(fed))
  await settle()

  scope.stop()
  await settle(60_000)

  expect(fed.wasCancelled()).toBe(true)
  expect([lastIds, ends]).toEqual([[null], []])
  expect(stream.state.value).toBe('closed')
})

test('a response that arrives after leaving is closed unread', async () => {
  const fed = fedResponse()
  fed.send(delta('迟到'), 1)
  const { seen, ends } = following(() => new Promise((resolve) => {
    setTimeout(() => { resolve(fed.response) }, 1_000)
  }))
  await settle()

  scope.stop()
  await settle(60_000)

  expect(fed.wasCancelled()).toBe(true)
  expect([seen, ends]).toEqual([[], []])
})
