/** Make the bodies that tests talk about. */
import type { Attempt, AttemptEvent, CitationView, Part } from '@youju/client'

export const citation = (index: number): CitationView => ({
  index,
  title: '退货政策',
  section: '七天无理由退货',
  revision: '2026-07',
  effectiveFrom: '2026-07-01',
  effectiveTo: null,
  updatedAt: '2026-06-20T08:00:00Z',
  quote: '签收之日起七日内可以申请退货。',
  detailUrl: `/v1/citations/${index}`,
  sourceUrl: null,
})

export const statement = (text: string, citations: number[] = [1]): Part => ({
  kind: 'statement', text, citations, questionPart: null,
})

export const answered: Attempt = {
  attemptId: 'att_1',
  conversationId: 'cnv_1',
  retryOfAttemptId: null,
  status: 'COMPLETED',
  question: '能退吗？',
  answer: '签收之日起七日内可以申请退货。',
  parts: [statement('签收之日起七日内可以申请退货。')],
  coverage: 'full',
  citations: [citation(1)],
  refused: false,
  reasonCode: null,
  refusalReason: null,
  missingFacts: [],
  handoff: 'none',
  suggestions: [],
  failureCode: null,
  retryable: false,
  knowledgeVersion: 3,
  asOf: '2026-11-29',
  language: 'zh',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  feedback: null,
  createdAt: '2026-11-29T08:00:00Z',
  completedAt: '2026-11-29T08:00:01Z',
}

export const refused: Attempt = {
  ...answered,
  answer: '我们没有找到可以引用的规定。',
  parts: [],
  citations: [],
  coverage: 'none',
  refused: true,
  reasonCode: 'NO_AUTHORIZED_EVIDENCE',
  refusalReason: '我们没有找到可以引用的规定。',
  handoff: 'offered',
}

export const failed: Attempt = {
  ...answered,
  status: 'FAILED',
  answer: null,
  parts: [],
  citations: [],
  coverage: null,
  failureCode: 'VALIDATION_FAILED',
  retryable: true,
}

const opening = (attempt: Attempt): AttemptEvent[] => [
  {
    event: 'session', conversationId: attempt.conversationId, attemptId: attempt.attemptId,
    retryOfAttemptId: attempt.retryOfAttemptId,
  },
  {
    event: 'metadata', traceId: attempt.traceId, knowledgeVersion: null, asOf: attempt.asOf,
    language: attempt.language,
  },
]

export const delta = (text: string, index = 1): AttemptEvent => ({
  event: 'delta', kind: 'statement', text, citations: [index], newCitations: [citation(index)],
})

/** List the events whose stream ends as this attempt. */
export function eventsOf(attempt: Attempt): AttemptEvent[] {
  if (attempt.status === 'FAILED') {
    const code = attempt.failureCode ?? 'INTERNAL'
    const { retryable, traceId } = attempt
    return [...opening(attempt), delta('半句'), { event: 'error', code, message: '', retryable, traceId }]
  }
  const { parts, citations, refused, refusalReason, reasonCode, missingFacts, handoff, suggestions } = attempt
  return [
    ...opening(attempt),
    ...parts.map((part): AttemptEvent => ({
      event: 'delta', kind: part.kind, text: part.text, citations: part.citations,
      newCitations: citations.filter((one) => part.citations.includes(one.index)),
    })),
    { event: 'heartbeat' },
    ...citations.map((one): AttemptEvent => ({ event: 'citation', ...one })),
    {
      event: 'completed', answer: attempt.answer ?? '', parts, coverage: attempt.coverage ?? 'none', refused,
      refusalReason, reasonCode, missingFacts, handoff, suggestions,
    },
  ]
}
