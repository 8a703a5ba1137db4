import { expect, test } from 'vitest'
import { EMPTY, fold } from '@/chat/conversation'
import { pendingAttempt, turnsOf } from '@/chat/turns'
import { answered, failed } from './examples'

const conversation = fold(EMPTY, {
  kind: 'loaded',
  attempts: [
    failed,
    { ...answered, attemptId: 'att_2', question: '退款多久？' },
    { ...answered, attemptId: 'att_3', retryOfAttemptId: 'att_1' },
    { ...answered, attemptId: 'att_4', retryOfAttemptId: 'att_3' },
  ],
})

test('a question stands once, above every try at answering it', () => {
  const turns = turnsOf(conversation)

  expect(turns.map(({ question }) => question)).toEqual(['能退吗？', '退款多久？'])
  expect(turns[0]?.earlier.map(({ attemptId }) => attemptId)).toEqual(['att_1', 'att_3'])
  expect(turns[0]?.latest.attemptId).toBe('att_4')
})

test('the same question asked anew is a turn of its own', () => {
  const again = fold(conversation, { kind: 'asked', question: '能退吗？', retryOfAttemptId: null })

  expect(turnsOf(again)).toHaveLength(3)
  expect(pendingAttempt(again)?.question).toBe('能退吗？')
})

test('a conversation without a pending attempt has none to find', () => {
  expect(pendingAttempt(conversation)).toBeUndefined()
})
