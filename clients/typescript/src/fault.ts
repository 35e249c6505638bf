/** A field that was refused, and why. */
export interface Detail { field: string; message: string }

/** A call that failed. The message is in words for the person. */
export class Fault extends Error {
  constructor(
    readonly statusCode: number, // 0: the network failed
    readonly code: string, // `error` of the reply: "DUPLICATE_ENTRY", "Not Found"
    message: string,
    readonly details: Detail[] = [],
    readonly retryAfter = 0, // seconds
  ) { super(message) }
  get offline(): boolean { return this.statusCode === 0 }
  get conflict(): boolean { return this.statusCode === 409 }
  /** Whether the same call may succeed later: no network, an overloaded or restarting server. */
  get temporary(): boolean { return this.offline || this.statusCode >= 500 || [408, 425, 429].includes(this.statusCode) || this.retryAfter > 0 }
}

/** The failure that a response tells. */
export async function faultOf(res: Response, unreadable: string): Promise<Fault> {
  const wait = Number(res.headers.get("Retry-After") ?? 0)
  try {
    const e = (await res.json()) as { message: string; error: string; details?: Detail[] }
    return new Fault(res.status, e.error, e.message, e.details ?? [], wait)
  } catch {
    return new Fault(res.status, "UNREADABLE", unreadable, [], wait)
  }
}
