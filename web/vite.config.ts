import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const api = process.env.VITE_API_BASE ?? ''

/** The built page may run its own scripts, use its own styles and call the API, and nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  `connect-src 'self' ${api}`.trim(),
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function contentSecurityPolicy(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
    ],
  }
}

export default defineConfig({
  plugins: [vue(), contentSecurityPolicy()],
  resolve: { alias: {
    '@youju/client': fileURLToPath(new URL('./packages/client/src/index.ts', import.meta.url)),
    '@': fileURLToPath(new URL('./src', import.meta.url)),
  } },
  build: {
    target: 'es2022',
    sourcemap: false,
    assetsInlineLimit: 0,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { '/v1': process.env.YOUJU_BFF_URL ?? 'http://127.0.0.1:8100' } },
  test: { environment: 'happy-dom', include: ['tests/**/*.test.ts'], restoreMocks: true },
})
