/** Fetch whole cited passages when their sources are opened, once each. */
import { shallowRef } from 'vue'
import type { CitedPassage } from '@youju/client'
import type { AttemptState } from './conversation'
import type { Session } from './useSession'

export type PassageState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly passage: CitedPassage }
  | { readonly kind: 'failed' }

/** The passages of one attempt, by citation number. */
export type Passages = Readonly<Record<number, PassageState>>

const NONE: Passages = {}

export function usePassages(session: Session) {
  const byAttempt = shallowRef<Readonly<Record<number, Passages>>>({})

  function keep(attempt: AttemptState, index: number, passage: PassageState) {
    const known = byAttempt.value[attempt.key] ?? NONE
    byAttempt.value = { ...byAttempt.value, [attempt.key]: { ...known, [index]: passage } }
  }

  /** Read a passage unless it is there or on its way; after a failure, opening it again tries again. */
  async function load(attempt: AttemptState, index: number): Promise<void> {
    const known = byAttempt.value[attempt.key]?.[index]
    if (attempt.attemptId === null || (known !== undefined && known.kind !== 'failed')) return
    keep(attempt, index, { kind: 'loading' })
    try {
      const passage = await session.client.readPassage(session.current(), attempt.attemptId, index)
      keep(attempt, index, { kind: 'ready', passage })
    } catch {
      keep(attempt, index, { kind: 'failed' })
    }
  }

  /** Try those again that could not be read: an attempt's passages can be read for sure once it has ended. */
  function loadFailed(attempt: AttemptState) {
    const failed = Object.entries(of(attempt)).filter(([, passage]) => passage.kind === 'failed')
    for (const [index] of failed) void load(attempt, Number(index))
  }

  function of(attempt: AttemptState): Passages {
    return byAttempt.value[attempt.key] ?? NONE
  }

  return { load, loadFailed, of }
}
