import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests that talk to a running Youju, whose address is in YOUJU_BFF_URL; the journeys run them. */
export default defineConfig({
  resolve: { alias: { '@youju/client': fileURLToPath(new URL('./packages/client/src/index.ts', import.meta.url)) } },
  test: { environment: 'node', include: ['tests/service/*.service.ts'], testTimeout: 60_000 },
})
