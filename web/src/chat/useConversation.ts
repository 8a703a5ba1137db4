/** Run the conversation: load, ask, answer again, stop, judge. State changes only through the fold. */
import { computed, ref, shallowRef } from 'vue'
import { ApiProblem, newIdempotencyKey } from '@youju/client'
import type { Ask, AttemptEvent, Conversation, Feedback, StreamEnd } from '@youju/client'
import { type AttemptState, type ConversationEvent, EMPTY, fold } from './conversation'
import { pendingAttempt, turnsOf } from './turns'
import { useAttemptStream } from './useAttemptStream'
import type { Session } from './useSession'

/** Something to tell the customer that belongs to no answer; its sentence is in i18n. */
export type Notice = 'withPerson' | 'busy' | 'retryLimit' | 'sessionEnded' | 'tooMany' | 'invalid' | 'trouble'

/** Called whenever an attempt has ended, with what it ended as. */
export type OnClosed = (attempt: AttemptState) => void

export function useConversation(session: Session, onClosed: OnClosed) {
  const state = shallowRef(EMPTY)
  const notice = ref<Notice | null>(null)
  const isLost = ref(false)
  const stream = useAttemptStream()
  const turns = computed(() => turnsOf(state.value))
  const pending = computed(() => pendingAttempt(state.value))

  function apply(event: ConversationEvent) {
    state.value = fold(state.value, event)
  }

  function attemptOf(key: number): AttemptState | undefined {
    return state.value.attempts.find((attempt) => attempt.key === key)
  }

  /** Show the remembered conversation and attach to the attempt that is still being answered. */
  async function load(): Promise<Conversation | null> {
    try {
      const conversation = await session.restore()
      if (conversation === null) return null
      apply({ kind: 'loaded', attempts: conversation.attempts })
      if (pending.value !== undefined) attach(pending.value)
      return conversation
    } catch {
      notice.value = 'trouble'
      return null
    }
  }

  /** Ask. Returns false when nothing was accepted, so that the box keeps its text. */
  function ask(body: Ask): Promise<boolean> {
    const key = newIdempotencyKey()
    return start(body.question, null, async (signal) =>
      session.client.ask(await session.ensure(), body, key, signal))
  }

  /** Answer the question of an attempt again, as a new attempt beside the old one. */
  function retry(old: AttemptState): Promise<boolean> {
    const { attemptId } = old
    if (attemptId === null) {
      apply({ kind: 'withdrawn', key: old.key })
      return ask({ question: old.question })
    }
    const key = newIdempotencyKey()
    return start(old.question, attemptId, (signal) =>
      session.client.retry(session.current(), attemptId, key, signal))
  }

  type Open = (signal: AbortSignal) => Promise<Response>

  function start(question: string, retryOfAttemptId: string | null, open: Open): Promise<boolean> {
    if (pending.value !== undefined) return Promise.resolve(false)
    notice.value = null
    const key = state.value.nextKey
    apply({ kind: 'asked', question, retryOfAttemptId })
    return new Promise((resolve) => {
      follow(key, (signal) => open(signal), resolve)
    })
  }

  /** Attach again to an attempt whose stream was lost. */
  function attach(attempt: AttemptState) {
    follow(attempt.key, null, () => undefined)
  }

  function follow(key: number, open: Open | null, accepted: (isAccepted: boolean) => void) {
    isLost.value = false
    void stream.follow({
      open: (lastEventId, signal) => {
        const attemptId = attemptOf(key)?.attemptId ?? null
        if (attemptId === null && open !== null) return open(signal)
        return session.client.attach(session.current(), attemptId ?? '', lastEventId, signal)
      },
      onEvent: (event) => {
        accepted(true)
        receive(key, event)
      },
      onEnd: (end) => {
        accepted(attemptOf(key)?.attemptId != null)
        void finish(key, end)
      },
    })
  }

  function receive(key: number, event: AttemptEvent) {
    apply({ kind: 'streamed', key, event })
  }

  async function finish(key: number, end: StreamEnd) {
    if (end.kind === 'refused') refuse(key, end.error)
    if (end.kind === 'lost') lose(key)
    if (end.kind === 'exhausted') await reread(key)
    const attempt = attemptOf(key)
    if (attempt === undefined || attempt.outcome.phase === 'pending') return
    if (attempt.outcome.phase === 'failed') await learnMore(key)
    onClosed(attemptOf(key) ?? attempt)
  }

  /** Ask what the server offers after a failure; without an answer the failure is shown as it is. */
  async function learnMore(key: number) {
    const attemptId = attemptOf(key)?.attemptId
    if (attemptId == null) return
    const attempt = await session.client.readAttempt(session.current(), attemptId).catch(() => null)
    if (attempt?.status === 'FAILED') apply({ kind: 'read', key, attempt })
  }

  async function reread(key: number) {
    const attemptId = attemptOf(key)?.attemptId
    if (attemptId == null) return
    try {
      const attempt = await session.client.readAttempt(session.current(), attemptId)
      apply({ kind: 'read', key, attempt })
      isLost.value = attempt.status === 'PENDING'
    } catch {
      isLost.value = true
    }
  }

  function lose(key: number) {
    if (attemptOf(key)?.attemptId == null) apply({ kind: 'failed', key, code: 'UNREACHABLE' })
    else isLost.value = true
  }

  function refuse(key: number, error: unknown) {
    const reason = noticeOf(error)
    if (attemptOf(key)?.attemptId != null) {
      isLost.value = true
    } else if (reason === 'trouble') {
      apply({ kind: 'failed', key, code: error instanceof ApiProblem ? error.code : 'UNREACHABLE' })
    } else {
      apply({ kind: 'withdrawn', key })
      if (reason === 'sessionEnded') begin()
      notice.value = reason
    }
  }

  async function cancel() {
    const attemptId = pending.value?.attemptId
    if (attemptId == null) return
    await session.client.cancel(session.current(), attemptId).catch(() => { notice.value = 'trouble' })
  }

  /** Send a judgement and keep what the server recorded. */
  async function judge(attempt: AttemptState, feedback: Feedback): Promise<void> {
    if (attempt.attemptId === null) return
    try {
      const recorded = await session.client.judge(session.current(), attempt.attemptId, feedback)
      apply({ kind: 'judged', key: attempt.key, feedback: recorded })
    } catch {
      notice.value = 'trouble'
    }
  }

  /** Leave this conversation and begin an empty one. */
  function begin() {
    stream.close()
    session.leave()
    notice.value = null
    apply({ kind: 'loaded', attempts: [] })
  }

  return { turns, pending, notice, isLost, streamState: stream.state, load, ask, retry, attach, cancel, judge, begin }
}

/** Sort what the server said no to into what the customer can do about it. */
export function noticeOf(error: unknown): Notice {
  if (!(error instanceof ApiProblem)) return 'trouble'
  if (error.code === 'CONVERSATION_WITH_PERSON') return 'withPerson'
  if (error.code === 'RETRY_LIMIT') return 'retryLimit'
  if (error.status === 409) return 'busy'
  if (error.status === 401 || error.status === 404) return 'sessionEnded'
  if (error.status === 429) return 'tooMany'
  return error.status === 400 ? 'invalid' : 'trouble'
}
