/** Talk to Youju's customer API from a browser or from Node: typed calls, streams that resume, keys that make repeats safe. */
export * from './asking'
export * from './backoff'
export * from './client'
export * from './eventStream'
export * from './following'
export * from './idempotencyKey'
export * from './problem'
export type * from './types'
