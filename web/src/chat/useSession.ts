/** Hold the guest session and the conversation that every call of this page belongs to. */
import { ApiProblem, createClient } from '@youju/client'
import type { Conversation } from '@youju/client'
import { forget, recall, remember } from './remembered'

/** Open what is missing when it is first needed; a visitor who only looks leaves nothing behind. */
export function useSession(tenant: string) {
  let token: string | null = recall(tenant)?.token ?? null
  let conversationId: string | null = recall(tenant)?.conversationId ?? null
  const client = createClient(() => token, import.meta.env.VITE_API_BASE)

  async function ensure(): Promise<string> {
    token ??= (await client.openSession(tenant)).token
    if (conversationId === null) {
      conversationId = (await client.openConversation()).conversationId
      remember(tenant, { token, conversationId })
    }
    return conversationId
  }

  function current(): string {
    if (conversationId === null) throw new Error('no conversation is open')
    return conversationId
  }

  function leave() {
    token = null
    conversationId = null
    forget(tenant)
  }

  /** Read the remembered conversation. Null when there is none, or none that this browser may still read. */
  async function restore(): Promise<Conversation | null> {
    if (conversationId === null) return null
    try {
      return await client.readConversation(conversationId)
    } catch (error) {
      if (!(error instanceof ApiProblem) || (error.status !== 401 && error.status !== 404)) throw error
      leave()
      return null
    }
  }

  return { client, ensure, current, leave, restore }
}

export type Session = ReturnType<typeof useSession>
