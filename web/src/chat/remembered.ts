/** Remember the session and conversation of this browser tab, so that a reload shows the same conversation. */

export interface Remembered {
  readonly token: string
  readonly conversationId: string
}

/** Read what this tab remembers for a tenant; null when nothing usable is there. */
export function recall(tenant: string): Remembered | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(keyOf(tenant)) ?? 'null')
    return isRemembered(found) ? found : null
  } catch {
    return null
  }
}

/** Keep it; a browser that forbids storage only loses the reload. */
export function remember(tenant: string, remembered: Remembered): void {
  try {
    sessionStorage.setItem(keyOf(tenant), JSON.stringify(remembered))
  } catch {
    return
  }
}

/** Begin anew. */
export function forget(tenant: string): void {
  try {
    sessionStorage.removeItem(keyOf(tenant))
  } catch {
    return
  }
}

function keyOf(tenant: string): string {
  return `youju.conversation.${tenant}`
}

function isRemembered(value: unknown): value is Remembered {
  return typeof value === 'object' && value !== null
    && 'token' in value && typeof value.token === 'string'
    && 'conversationId' in value && typeof value.conversationId === 'string'
}
