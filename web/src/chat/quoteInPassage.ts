/** Cut a passage into the text before the quote, the quote, and the text after it. */
import type { CitedPassage } from '@youju/client'

export interface MarkedPassage {
  readonly before: string
  readonly quote: string
  readonly after: string
}

/** Cut by the server's offsets, which count code points; offsets outside the passage mark nothing. */
export function markQuote(cited: CitedPassage): MarkedPassage {
  const points = Array.from(cited.passage)
  const { quoteStart, quoteEnd } = cited
  const isInside = quoteStart >= 0 && quoteStart < quoteEnd && quoteEnd <= points.length
  if (!isInside) return { before: cited.passage, quote: '', after: '' }
  return {
    before: points.slice(0, quoteStart).join(''),
    quote: points.slice(quoteStart, quoteEnd).join(''),
    after: points.slice(quoteEnd).join(''),
  }
}

/** Pass on an address only when it is a plain public https one; anything else is not shown as a link. */
export function publicAddress(sourceUrl: string | null): string | null {
  const url = sourceUrl !== null && URL.canParse(sourceUrl) ? new URL(sourceUrl) : null
  return url?.protocol === 'https:' && url.username === '' ? url.href : null
}
