/** Turn an RFC 9457 problem document into an error with a stable code. */

/** The server answered, and the answer is no. */
export class ApiProblem extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(code)
  }
}

/** Nothing, or nothing usable, came back. */
export class ConnectionLost extends Error {}

/** Read a response that is not 2xx as a problem, whatever its body holds. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body: unknown = await response.json().catch(() => null)
  const code = isRecord(body) && typeof body.code === 'string' ? body.code : `HTTP_${response.status}`
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return new ApiProblem(code, response.status, Number.isFinite(retryAfter) ? retryAfter : null)
}

/** Say whether the same request may succeed a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiProblem) return error.status === 503 || error.status === 429
  return error instanceof ConnectionLost
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
