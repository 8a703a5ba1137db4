/** Ask for a person, and follow where the wish stands until it is solved. */
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import type { Escalation, EscalationReading } from '@youju/client'
import { backoffMs, newIdempotencyKey, pause } from '@youju/client'
import type { AttemptState } from './conversation'
import type { Session } from './useSession'

export type WishState = 'none' | 'sending' | 'failed' | 'accepted'

/** Ticket numbers usually arrive within a second or two; later changes are a person's pace. */
const SETTLED_PACE_MS = 15_000

export function useEscalation(session: Session) {
  const escalation = shallowRef<Escalation | null>(null)
  const wish = ref<WishState>('none')
  /** From the ticket's creation to its solution nothing is answered automatically. */
  const isWithPerson = computed(() => ['TICKET_CREATED', 'IN_PROGRESS'].includes(escalation.value?.status ?? ''))
  let watching = new AbortController()

  /** Wish for a person about one attempt. Repeat: the conversation's open escalation comes back. */
  async function escalate(attempt: AttemptState): Promise<void> {
    if (attempt.attemptId === null || wish.value === 'sending') return
    wish.value = 'sending'
    try {
      adopt(await session.client.escalate(session.current(), attempt.attemptId, newIdempotencyKey()))
    } catch {
      wish.value = 'failed'
    }
  }

  /** Show an escalation that a rule or an earlier visit opened. */
  function adopt(found: Escalation | null) {
    show(found)
    if (found !== null) void watchUntilSolved(found)
  }

  /** Keep it; a solved one leaves room for another wish. */
  function show(found: Escalation | null) {
    escalation.value = found
    wish.value = found === null || found.status === 'SOLVED' ? 'none' : 'accepted'
  }

  /** Look whether the conversation has an escalation this page has not heard of. */
  async function refresh(): Promise<void> {
    const conversation = await session.restore().catch(() => null)
    if (conversation?.escalation != null) adopt(conversation.escalation)
  }

  async function watchUntilSolved(from: Escalation) {
    watching.abort()
    watching = new AbortController()
    const { signal } = watching
    const conversationId = session.current()
    let etag: string | null = null
    for (let looks = 1, known = from; known.status !== 'SOLVED'; looks += 1) {
      await pause(known.ticketNumber === null ? backoffMs(looks) : SETTLED_PACE_MS, signal)
      if (signal.aborted) return
      const reading: EscalationReading = await session.client
        .readEscalation(conversationId, known.escalationId, etag)
        .catch(() => ({ escalation: null, etag }))
      etag = reading.etag
      known = reading.escalation ?? known
      if (!signal.aborted) show(known)
    }
  }

  function begin() {
    watching.abort()
    escalation.value = null
    wish.value = 'none'
  }

  onScopeDispose(() => { watching.abort() })
  return { escalation, wish, isWithPerson, escalate, adopt, refresh, begin }
}
