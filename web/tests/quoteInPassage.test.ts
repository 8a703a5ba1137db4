import { expect, test } from 'vitest'
import { markQuote, publicAddress } from '@/chat/quoteInPassage'
import { citation } from './examples'

const cited = (passage: string, quoteStart: number, quoteEnd: number) => {
  const { detailUrl: _detailUrl, ...view } = citation(1)
  return { ...view, headingPath: [], passage, quoteStart, quoteEnd, replacedBy: null, withdrawnAt: null }
}

test('offsets count code points, so an emoji before the quote moves nothing', () => {
  expect(markQuote(cited('🎁礼品卡不可退。其他可退。', 1, 8))).toEqual({
    before: '🎁', quote: '礼品卡不可退。', after: '其他可退。',
  })
})

test.each([[-1, 3], [3, 3], [4, 2], [0, 99]])('offsets %i to %i outside the passage mark nothing', (from, to) => {
  expect(markQuote(cited('七日内可退', from, to))).toEqual({ before: '七日内可退', quote: '', after: '' })
})

test.each([
  ['https://example.com/returns', 'https://example.com/returns'],
  ['http://example.com/', null],
  ['javascript:alert(1)', null],
  ['https://user@example.com/', null],
  ['/relative', null],
  [null, null],
])('%s is shown as %s', (sourceUrl, address) => {
  expect(publicAddress(sourceUrl)).toBe(address)
})
