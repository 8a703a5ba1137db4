import { describe, expect, test } from 'vitest'
import type { Attempt, AttemptEvent } from '@youju/client'
import { type ConversationState, EMPTY, fold, fromAttempt } from '@/chat/conversation'
import { answered, citation, delta, eventsOf, failed, refused, statement } from './examples'

const ask = (state: ConversationState, question = '能退吗？', retryOfAttemptId: string | null = null) =>
  fold(state, { kind: 'asked', question, retryOfAttemptId })

const stream = (state: ConversationState, key: number, events: readonly AttemptEvent[]) =>
  events.reduce((now, event) => fold(now, { kind: 'streamed', key, event }), state)

const partial: Attempt = {
  ...answered,
  coverage: 'partial',
  parts: [
    statement('签收之日起七日内可以申请退货。'),
    { kind: 'not_covered', text: '运费谁承担', citations: [], questionPart: '运费谁承担' },
    statement('定制商品除外。', [1, 2]),
  ],
  citations: [citation(1), citation(2)],
}

describe('a reload shows what was streamed', () => {
  test.each([
    ['an answer', answered],
    ['a partial answer', partial],
    ['a refusal', refused],
    ['a failure', failed],
  ])('%s', (_name, attempt) => {
    const streamed = stream(ask(EMPTY), 0, eventsOf(attempt))

    expect(streamed.attempts[0]).toEqual(fromAttempt(attempt, 0))
    expect(streamed.ignoredEvents).toBe(0)
  })
})

test('sentences and their citations are there before the answer is complete', () => {
  const state = stream(ask(EMPTY), 0, eventsOf(partial).slice(0, 3))

  expect(state.attempts[0]?.outcome).toEqual({
    phase: 'pending', parts: [statement('签收之日起七日内可以申请退货。')], citations: [citation(1)],
  })
})

test('citations are listed by number, each once', () => {
  const state = stream(ask(EMPTY), 0, [delta('乙', 2), delta('甲', 1), delta('丙', 2)])

  const { outcome } = state.attempts[0] ?? {}
  expect(outcome?.phase === 'pending' && outcome.citations.map(({ index }) => index)).toEqual([1, 2])
})

test('a failed attempt keeps no text', () => {
  const state = stream(ask(EMPTY), 0, eventsOf(failed))

  expect(JSON.stringify(state)).not.toContain('半句')
})

test('what is offered after the same failure twice is read with the attempt', () => {
  const offered = [{ label: '联系人工客服', question: '我要转人工客服。', facts: {} }]
  const streamed = stream(ask(EMPTY), 0, eventsOf(failed))

  const state = fold(streamed, { kind: 'read', key: 0, attempt: { ...failed, suggestions: offered } })

  expect(streamed.attempts[0]?.outcome).toMatchObject({ phase: 'failed', suggestions: [] })
  expect(state.attempts[0]?.outcome).toMatchObject({ phase: 'failed', suggestions: offered })
})

test('a late event of a closed attempt changes nothing and is counted', () => {
  const before = stream(ask(EMPTY), 0, eventsOf(refused))

  const after = stream(before, 0, [delta('迟到的句子')])

  expect(after.attempts).toEqual(before.attempts)
  expect(after.ignoredEvents).toBe(1)
})

test('an event of an older attempt never touches a newer one', () => {
  const older = stream(ask(EMPTY), 0, eventsOf(failed))
  const newer = ask(older, '另一个问题')

  const after = stream(newer, 0, [delta('旧回答')])

  expect(after.attempts[1]).toEqual(newer.attempts[1])
})

test('a withdrawn attempt never gives its key to the next one', () => {
  const withdrawn = fold(ask(EMPTY), { kind: 'withdrawn', key: 0 })

  const after = stream(ask(withdrawn), 0, [delta('旧回答')])

  expect(after.attempts.map(({ key }) => key)).toEqual([1])
  expect(after.attempts[0]?.outcome).toEqual({ phase: 'pending', parts: [], citations: [] })
})

test('an unknown kind of event is ignored and counted', () => {
  const before = ask(EMPTY)
  const unknown = { event: 'thinking', text: '…' } as unknown as AttemptEvent // what a newer server might send

  const after = stream(before, 0, [unknown])

  expect(after).toEqual({ ...before, ignoredEvents: 1 })
})

test('a completed attempt cannot fail afterwards', () => {
  const before = stream(ask(EMPTY), 0, eventsOf(answered))

  const after = fold(before, { kind: 'failed', key: 0, code: 'UNREACHABLE' })

  expect(after.attempts).toEqual(before.attempts)
})

test('feedback stays on the attempt that was judged', () => {
  const one = stream(ask(EMPTY), 0, eventsOf(answered))
  const two = stream(ask(one, '能退吗？', 'att_1'), 1, eventsOf({ ...answered, attemptId: 'att_2', retryOfAttemptId: 'att_1' }))

  const judged = fold(two, { kind: 'judged', key: 0, feedback: { rating: 'HELPFUL', reasonCode: null, comment: null } })

  expect(judged.attempts.map(({ feedback }) => feedback?.rating)).toEqual(['HELPFUL', undefined])
})
