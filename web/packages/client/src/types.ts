/** Name the wire types once; their only source is the generated OpenAPI file. */
import type { components } from './generated'

type Schemas = components['schemas']

export type Ask = Pick<Schemas['Ask'], 'question'> & Partial<Schemas['Ask']>
export type Attempt = Schemas['Attempt']
export type AttemptEvent = Schemas['AttemptEvent']
export type CitationView = Schemas['CitationView']
export type CitedPassage = Schemas['CitedPassage']
export type Conversation = Schemas['Conversation']
export type Escalation = Schemas['Escalation']
export type Feedback = Schemas['Feedback']
export type FeedbackReason = Schemas['FeedbackReason']
export type FailureCode = Schemas['FailureCode']
export type Handoff = Attempt['handoff']
export type Part = Schemas['Part']
export type RefusalReason = Schemas['RefusalReason']
export type SessionToken = Schemas['SessionToken']
export type Suggestion = Schemas['Suggestion']
