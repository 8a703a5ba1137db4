import { afterEach, expect, test, vi } from 'vitest'
import { ApiProblem, ConnectionLost, createClient } from '@youju/client'
import { noticeOf } from '@/chat/useConversation'

afterEach(() => { vi.unstubAllGlobals() })

function answering(response: () => Promise<Response>) {
  const calls: { url: string; request: RequestInit }[] = []
  vi.stubGlobal('fetch', (url: string, request: RequestInit) => {
    calls.push({ url, request })
    return response()
  })
  return { calls, client: createClient(() => 'token', '') }
}

const problem = (status: number, body: string, headers = {}) => () =>
  Promise.resolve(new Response(body, { status, headers }))

test('a problem document becomes an error with its code and the wish to wait', async () => {
  const { client } = answering(problem(429, '{"code":"RATE_LIMITED"}', { 'Retry-After': '7' }))

  await expect(client.openConversation()).rejects.toMatchObject({
    code: 'RATE_LIMITED', status: 429, retryAfterSeconds: 7,
  })
})

test('a proxy page in place of a problem document still becomes a problem', async () => {
  const { client } = answering(problem(502, '<html>bad gateway</html>'))

  await expect(client.openConversation()).rejects.toEqual(new ApiProblem('HTTP_502', 502))
})

test('no answer at all is a lost connection', async () => {
  const { client } = answering(() => Promise.reject(new TypeError('failed to fetch')))

  await expect(client.openConversation()).rejects.toBeInstanceOf(ConnectionLost)
})

test('an unchanged escalation is told apart from a new one', async () => {
  const { client, calls } = answering(() => Promise.resolve(new Response(null, { status: 304 })))

  expect(await client.readEscalation('cnv_1', 'esc_1', '"2"')).toEqual({ escalation: null, etag: '"2"' })
  expect(new Headers(calls[0]?.request.headers).get('If-None-Match')).toBe('"2"')
})

test('attaching again names the last event that was seen', async () => {
  const { client, calls } = answering(() => Promise.resolve(new Response(null, { status: 204 })))

  await client.attach('cnv_1', 'att_1', '5', new AbortController().signal)

  expect(calls[0]?.url).toBe('/v1/conversations/cnv_1/attempts/att_1/events')
  expect(new Headers(calls[0]?.request.headers).get('Last-Event-ID')).toBe('5')
})

test.each([
  ['CONVERSATION_WITH_PERSON', 409, 'withPerson'],
  ['RETRY_LIMIT', 409, 'retryLimit'],
  ['CONFLICT', 409, 'busy'],
  ['UNAUTHENTICATED', 401, 'sessionEnded'],
  ['NOT_FOUND', 404, 'sessionEnded'],
  ['RATE_LIMITED', 429, 'tooMany'],
  ['INVALID_REQUEST', 400, 'invalid'],
  ['INTERNAL', 500, 'trouble'],
])('%s (%i) is told as %s', (code, status, notice) => {
  expect(noticeOf(new ApiProblem(code, status))).toBe(notice)
})
