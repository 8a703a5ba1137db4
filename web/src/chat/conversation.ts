/** Fold what happens into the state of a conversation: pure, so that a reload and a live stream end alike. */
import type {
  Attempt, AttemptEvent, CitationView, Feedback, Handoff, Part, RefusalReason, Suggestion,
} from '@youju/client'

/** What one attempt shows. A failed attempt has no place for text, so none can be left behind. */
export type Outcome =
  | { readonly phase: 'pending'; readonly parts: readonly Part[]; readonly citations: readonly CitationView[] }
  | Answered
  | Refused
  | ({ readonly phase: 'failed'; readonly code: string; readonly retryable: boolean } & Pick<NextStep, 'suggestions'>)

interface NextStep {
  readonly handoff: Handoff
  readonly suggestions: readonly Suggestion[]
}
export interface Answered extends NextStep {
  readonly phase: 'answered'
  readonly isPartial: boolean
  readonly parts: readonly Part[]
  readonly citations: readonly CitationView[]
}
export interface Refused extends NextStep {
  readonly phase: 'refused'
  readonly reasonCode: RefusalReason | null
  readonly sentence: string
  readonly missingFacts: readonly string[]
}

export interface AttemptState {
  /** Names the attempt on this page from the moment it is asked, before the server has named it. */
  readonly key: number
  readonly attemptId: string | null
  readonly retryOfAttemptId: string | null
  readonly question: string
  readonly asOf: string | null
  readonly outcome: Outcome
  readonly feedback: Feedback | null
}

export interface ConversationState {
  readonly attempts: readonly AttemptState[]
  /** Grows only, so that no event can reach an attempt that took the place of another. */
  readonly nextKey: number
  readonly ignoredEvents: number
}

export type ConversationEvent =
  | { readonly kind: 'loaded'; readonly attempts: readonly Attempt[] }
  | { readonly kind: 'asked'; readonly question: string; readonly retryOfAttemptId: string | null }
  | { readonly kind: 'streamed'; readonly key: number; readonly event: AttemptEvent }
  | { readonly kind: 'read'; readonly key: number; readonly attempt: Attempt }
  | { readonly kind: 'failed'; readonly key: number; readonly code: string }
  | { readonly kind: 'withdrawn'; readonly key: number }
  | { readonly kind: 'judged'; readonly key: number; readonly feedback: Feedback }

export const EMPTY: ConversationState = { attempts: [], nextKey: 0, ignoredEvents: 0 }
const NOTHING_YET: Outcome = { phase: 'pending', parts: [], citations: [] }

/** Apply one event. Whatever is addressed to a closed or unknown attempt changes no attempt. */
export function fold(state: ConversationState, event: ConversationEvent): ConversationState {
  switch (event.kind) {
    case 'loaded':
      return loaded(state, event.attempts)
    case 'asked':
      return { ...state, attempts: [...state.attempts, asked(event, state.nextKey)], nextKey: state.nextKey + 1 }
    case 'streamed':
      return streamed(state, event.key, event.event)
    case 'read':
      return changed(state, event.key, (attempt) => fromAttempt(event.attempt, attempt.key))
    case 'failed':
      return isPending(state, event.key)
        ? changed(state, event.key, (attempt) => closed(attempt, failed(event.code, true)))
        : ignored(state)
    case 'withdrawn':
      return { ...state, attempts: state.attempts.filter((attempt) => attempt.key !== event.key) }
    case 'judged':
      return changed(state, event.key, (attempt) => ({ ...attempt, feedback: event.feedback }))
    default:
      return unknownKind(state, event)
  }
}

/** Show an attempt read as JSON exactly as its stream would have left it. */
export function fromAttempt(attempt: Attempt, key: number): AttemptState {
  return {
    key,
    attemptId: attempt.attemptId,
    retryOfAttemptId: attempt.retryOfAttemptId,
    question: attempt.question,
    asOf: attempt.asOf,
    outcome: outcomeOf(attempt),
    feedback: attempt.feedback,
  }
}

function loaded(state: ConversationState, attempts: readonly Attempt[]): ConversationState {
  const keyed = attempts.map((attempt, place) => fromAttempt(attempt, state.nextKey + place))
  return { ...state, attempts: keyed, nextKey: state.nextKey + attempts.length }
}

function isPending(state: ConversationState, key: number): boolean {
  return state.attempts.some((attempt) => attempt.key === key && attempt.outcome.phase === 'pending')
}

function outcomeOf(attempt: Attempt): Outcome {
  switch (attempt.status) {
    case 'PENDING':
      return NOTHING_YET
    case 'FAILED':
      return failed(attempt.failureCode ?? 'INTERNAL', attempt.retryable, attempt.suggestions)
    case 'COMPLETED':
      return completed(attempt, attempt.citations)
  }
}

function asked(event: { question: string; retryOfAttemptId: string | null }, key: number): AttemptState {
  const { question, retryOfAttemptId } = event
  return { key, attemptId: null, retryOfAttemptId, question, asOf: null, outcome: NOTHING_YET, feedback: null }
}

function streamed(state: ConversationState, key: number, event: AttemptEvent): ConversationState {
  const attempt = state.attempts.find((candidate) => candidate.key === key)
  if (attempt?.outcome.phase !== 'pending') return ignored(state)
  const { parts, citations } = attempt.outcome
  const become = (outcome: Outcome) => changed(state, key, (old) => closed(old, outcome))
  switch (event.event) {
    case 'session':
      return changed(state, key, (old) => ({
        ...old, attemptId: event.attemptId, retryOfAttemptId: event.retryOfAttemptId,
      }))
    case 'metadata':
      return changed(state, key, (old) => ({ ...old, asOf: event.asOf }))
    case 'delta':
      return become({
        phase: 'pending', parts: [...parts, partOf(event)], citations: merged(citations, event.newCitations),
      })
    case 'heartbeat':
      return state
    case 'citation':
      return become({ phase: 'pending', parts, citations: merged(citations, [withoutName(event)]) })
    case 'completed':
      return become(completed(event, citations))
    case 'error':
      return become(failed(event.code, event.retryable))
    default:
      return unknownKind(state, event)
  }
}

function partOf(delta: { kind: Part['kind']; text: string; citations: readonly number[] }): Part {
  return { kind: delta.kind, text: delta.text, citations: delta.citations, questionPart: null }
}

function withoutName(event: CitationView & { event: 'citation' }): CitationView {
  const { event: _name, ...citation } = event
  return citation
}

function merged(known: readonly CitationView[], more: readonly CitationView[]): readonly CitationView[] {
  const news = more.filter((citation) => !known.some((old) => old.index === citation.index))
  return [...known, ...news].sort((one, other) => one.index - other.index)
}

type Completion = Pick<
  Attempt, 'parts' | 'coverage' | 'refused' | 'reasonCode' | 'refusalReason' | 'missingFacts' | 'handoff' | 'suggestions'
>

function completed(from: Completion, citations: readonly CitationView[]): Answered | Refused {
  const { handoff, suggestions, parts } = from
  if (!from.refused) {
    return { phase: 'answered', isPartial: from.coverage === 'partial', parts, citations, handoff, suggestions }
  }
  const { reasonCode, missingFacts } = from
  return { phase: 'refused', reasonCode, sentence: from.refusalReason ?? '', missingFacts, handoff, suggestions }
}

function failed(code: string, retryable: boolean, suggestions: readonly Suggestion[] = []): Outcome {
  return { phase: 'failed', code, retryable, suggestions }
}

function closed(attempt: AttemptState, outcome: Outcome): AttemptState {
  return { ...attempt, outcome }
}

function changed(
  state: ConversationState, key: number, change: (attempt: AttemptState) => AttemptState,
): ConversationState {
  return { ...state, attempts: state.attempts.map((attempt) => (attempt.key === key ? change(attempt) : attempt)) }
}

/** Count what comes too late. */
function ignored(state: ConversationState): ConversationState {
  return { ...state, ignoredEvents: state.ignoredEvents + 1 }
}

/** Count what this page does not know: a newer server may send kinds we have not met. */
function unknownKind(state: ConversationState, _kind: never): ConversationState {
  return ignored(state)
}
