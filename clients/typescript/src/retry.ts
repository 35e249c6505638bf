// A fetch that sends a request again, where that is safe: a GET, or a request with an Idempotency-Key, which the service does once.

const passing = [408, 425, 429, 502, 503, 504]
const first = 500 // ms
const longest = 30_000 // a longer pause is for the caller to decide

export function retrying(attempts = 4, send: typeof fetch = (url, init) => fetch(url, init)): typeof fetch {
  return async (url, init) => {
    const safe = (init?.method ?? "GET") === "GET" || new Headers(init?.headers).has("Idempotency-Key")
    for (let n = 1; ; n++) {
      let pause = first * 2 ** (n - 1) * (0.5 + Math.random())
      try {
        const res = await send(url, init)
        const after = Number(res.headers.get("Retry-After") ?? 0) * 1000
        const again = res.status === 429 || (safe && (passing.includes(res.status) || (after > 0 && !res.ok)))
        pause = Math.max(pause, after)
        if (!again || n >= attempts || pause > longest) return res
        await res.body?.cancel()
      } catch (e) {
        if (!safe || n >= attempts || init?.signal?.aborted) throw e
      }
      await sleep(pause, init?.signal ?? undefined)
    }
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const stop = () => { clearTimeout(timer); fail(signal!.reason as Error) }
    const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); done() }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })
}
