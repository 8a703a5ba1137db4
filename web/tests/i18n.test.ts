import { expect, test } from 'vitest'
import { en } from '@/i18n/en'
import { preferred } from '@/i18n/useLanguage'
import { zhCN } from '@/i18n/zh-CN'

/** List the path of every sentence, those that depend on a value included. */
function pathsOf(tree: object, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? pathsOf(value, `${prefix}${name}.`) : [`${prefix}${name}`])
}

/** List every sentence that does not depend on a value. */
function sentencesOf(tree: object): string[] {
  return Object.values(tree).flatMap((value: unknown) => {
    if (typeof value === 'string') return [value]
    return typeof value === 'object' && value !== null ? sentencesOf(value) : []
  })
}

test('both languages have the same sentences', () => {
  expect(pathsOf(en).sort()).toEqual(pathsOf(zhCN).sort())
})

test('no sentence is empty', () => {
  expect([...sentencesOf(zhCN), ...sentencesOf(en)].filter((sentence) => sentence.trim() === '')).toEqual([])
})

test('English sentences hold no Chinese but the name of the other language', () => {
  expect(sentencesOf(en).filter((sentence) => /\p{Script=Han}/u.test(sentence))).toEqual(['中文'])
})

test.each([
  [['zh-Hant-TW', 'en'], 'zh-CN'],
  [['en-GB', 'zh'], 'en'],
  [['fr', 'zh-CN', 'en'], 'zh-CN'],
  [['fr'], 'en'],
  [[], 'en'],
])('a visitor who prefers %j reads %s', (languages, expected) => {
  expect(preferred(languages)).toBe(expected)
})
