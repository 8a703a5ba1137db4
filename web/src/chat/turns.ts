/** Group attempts by question: a question and every try at answering it, oldest first. */
import type { AttemptState, ConversationState } from './conversation'

export interface Turn {
  readonly key: number
  readonly question: string
  readonly earlier: readonly AttemptState[]
  readonly latest: AttemptState
}

/** List the turns of a conversation in the order in which their questions were asked. */
export function turnsOf(state: ConversationState): readonly Turn[] {
  const lineages: AttemptState[][] = []
  for (const attempt of state.attempts) {
    const lineage = lineages.find((tries) => isRetryOfOneOf(attempt, tries))
    if (lineage === undefined) lineages.push([attempt])
    else lineage.push(attempt)
  }
  return lineages.flatMap(turnOf)
}

/** Find the attempt that is still being answered; a conversation has at most one. */
export function pendingAttempt(state: ConversationState): AttemptState | undefined {
  return state.attempts.find((attempt) => attempt.outcome.phase === 'pending')
}

function isRetryOfOneOf(attempt: AttemptState, tries: readonly AttemptState[]): boolean {
  return attempt.retryOfAttemptId !== null && tries.some((old) => old.attemptId === attempt.retryOfAttemptId)
}

function turnOf(tries: readonly AttemptState[]): Turn[] {
  const first = tries[0]
  const latest = tries.at(-1)
  if (first === undefined || latest === undefined) return []
  return [{ key: first.key, question: first.question, earlier: tries.slice(0, -1), latest }]
}
