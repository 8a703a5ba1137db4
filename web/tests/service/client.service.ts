import { expect, test } from 'vitest'
import { askAndFollow, type AttemptEvent, createClient, newIdempotencyKey, retryAndFollow } from '@youju/client'

const base = process.env.YOUJU_BFF_URL ?? ''
const QUESTION = { question: '退款多久到账？' }

async function guest() {
  const { token } = await createClient(() => null, base).openSession('demo')
  const client = createClient(() => token, base)
  return { client, conversationId: (await client.openConversation()).conversationId }
}

const collecting = () => {
  const events: AttemptEvent[] = []
  return { events, asking: { onEvent: (event: AttemptEvent) => { events.push(event) }, signal: new AbortController().signal } }
}

test('an answer is streamed, read back, judged, opened, retried and handed over', async () => {
  const { client, conversationId } = await guest()
  const { events, asking } = collecting()

  const end = await askAndFollow(client, conversationId, QUESTION, asking)

  const session = events.find((event) => event.event === 'session')
  const attempt = await client.readAttempt(conversationId, session?.attemptId ?? '')
  const said = events.map((event) => (event.event === 'delta' ? event.text : '')).join('')
  expect(end).toEqual({ kind: 'finished' })
  expect(said).toBe(attempt.answer)
  const passage = await client.readPassage(conversationId, attempt.attemptId, 1)
  expect(Array.from(passage.passage).slice(passage.quoteStart, passage.quoteEnd).join('')).toBe(passage.quote)
  await client.judge(conversationId, attempt.attemptId, { rating: 'HELPFUL', reasonCode: null, comment: null })
  const again = collecting()
  expect(await retryAndFollow(client, conversationId, attempt.attemptId, again.asking)).toEqual({ kind: 'finished' })
  const wish = await client.escalate(conversationId, attempt.attemptId, newIdempotencyKey())
  const read = await client.readEscalation(conversationId, wish.escalationId, null)
  expect(read.escalation?.escalationId).toBe(wish.escalationId)
})

test('attaching behind an event gives the rest, and the same key the same attempt', async () => {
  const { client, conversationId } = await guest()
  const key = newIdempotencyKey()
  const first = collecting()
  await askAndFollow(client, conversationId, QUESTION, { ...first.asking, key })
  const second = collecting()

  await askAndFollow(client, conversationId, QUESTION, { ...second.asking, key })

  expect(second.events).toEqual(first.events)
  expect((await client.readConversation(conversationId)).attempts).toHaveLength(1)
})
