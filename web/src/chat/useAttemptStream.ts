/** Follow one attempt at a time, for as long as the component lives that shows it. */
import { onScopeDispose, ref } from 'vue'
import { type Following, followToEnd, type StreamState } from '@youju/client'

/** Make a stream that follows one attempt at a time and ends with the component that made it. */
export function useAttemptStream() {
  const state = ref<StreamState>('closed')
  let current = new AbortController()

  function close() {
    current.abort()
    state.value = 'closed'
  }

  async function follow(following: Following): Promise<void> {
    close()
    const run = new AbortController()
    current = run
    const end = await followToEnd(following, run.signal, (next) => { state.value = next })
    if (run.signal.aborted) return
    close()
    following.onEnd(end)
  }

  onScopeDispose(close)
  return { state, follow, close }
}
