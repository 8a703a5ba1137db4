import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import QuestionBox from '@/chat/QuestionBox.vue'

const box = (modelValue: string, isBusy = false) => mount(QuestionBox, { props: { modelValue, isBusy } })

test('Enter asks the question as it was typed', async () => {
  const page = box(' 能退吗？')

  await page.get('textarea').trigger('keydown', { key: 'Enter' })

  expect(page.emitted('ask')).toEqual([[' 能退吗？']])
})

test.each([{ shiftKey: true }, { isComposing: true }])('Enter with %j does not ask', async (extra) => {
  const page = box('能退吗')

  await page.get('textarea').trigger('keydown', { key: 'Enter', ...extra })

  expect(page.emitted('ask')).toBeUndefined()
})

test.each([
  ['nothing but white space', ' \n\t', false],
  ['one character too many', '退'.repeat(10_001), false],
  ['a question while another is being answered', '能退吗', true],
])('%s cannot be sent', async (_name, text, isBusy) => {
  const page = box(text, isBusy)

  await page.get('form').trigger('submit')

  expect(page.emitted('ask')).toBeUndefined()
  expect(page.get('button').attributes('disabled')).toBeDefined()
})

test('ten thousand emoji fit, for the limit counts characters', () => {
  const page = box('🎁'.repeat(10_000))

  expect(page.get('button').attributes('disabled')).toBeUndefined()
})
