/** Hold the language of the page and speak it: sentences, dates, numbers. */
import { computed, readonly, ref, watchEffect } from 'vue'
import { en } from './en'
import { type Messages, zhCN } from './zh-CN'

export type PageLanguage = 'zh-CN' | 'en'

const MESSAGES: Record<PageLanguage, Messages> = { 'zh-CN': zhCN, en }
const language = ref<PageLanguage>(preferred(navigator.languages))
const t = computed(() => MESSAGES[language.value])

watchEffect(() => {
  document.documentElement.lang = language.value
  document.title = `${t.value.brand} · ${t.value.tagline}`
})

/** Choose the first language a visitor prefers that we have; English for everyone else. */
export function preferred(languages: readonly string[]): PageLanguage {
  const known = languages.map((tag) => tag.toLowerCase()).find((tag) => tag.startsWith('zh') || tag.startsWith('en'))
  return known?.startsWith('zh') === true ? 'zh-CN' : 'en'
}

function switchLanguage() {
  language.value = language.value === 'en' ? 'zh-CN' : 'en'
}

/** Print a date or moment as a calendar day. A bare date has no time zone and is shown as it is written. */
function day(text: string): string {
  const isBareDate = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const format = new Intl.DateTimeFormat(language.value, {
    year: 'numeric', month: 'long', day: 'numeric', ...(isBareDate ? { timeZone: 'UTC' } : {}),
  })
  return format.format(new Date(text))
}

function number(value: number): string {
  return new Intl.NumberFormat(language.value).format(value)
}

/** Give the page's one language: all components of a page speak the same. */
export function useLanguage() {
  return { language: readonly(language), t, switchLanguage, day, number }
}
