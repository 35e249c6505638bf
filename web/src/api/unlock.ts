// The lock of the phone's app: it opens by fingerprint, face or whatever the phone itself is unlocked with (WebAuthn, on this device only;
// the service knows nothing of it), else by PIN. Kept is the number of a key that the phone has made for this purpose.
const kept = "unlock"

/** Whether the app asks who is there when it is opened. */
export function locks(): boolean { return localStorage.getItem(kept) !== null }

/** Whether this device can tell who holds it. */
export async function canVerify(): Promise<boolean> {
  return "PublicKeyCredential" in window && (await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().catch(() => false))
}

/** Makes the key, for which the phone asks who is there. */
export async function lockApp(): Promise<void> {
  const made = (await navigator.credentials.create({ publicKey: {
    challenge: random(), rp: { name: "Homeroom" }, user: { id: random(), name: "Homeroom", displayName: "Homeroom" },
    pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -257 }],
    authenticatorSelection: { authenticatorAttachment: "platform", userVerification: "required" },
  } })) as PublicKeyCredential | null
  if (made) localStorage.setItem(kept, made.id)
}

export function unlockApp(): void { localStorage.removeItem(kept) }

/** Asks the phone who is there. False if it can't tell. */
export async function verified(signal: AbortSignal): Promise<boolean> {
  const id = Uint8Array.from(atob(localStorage.getItem(kept)!.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))
  const got = (await navigator.credentials.get({ signal, publicKey: { challenge: random(), allowCredentials: [{ type: "public-key", id }], userVerification: "required" } })) as PublicKeyCredential | null
  const flags = got && new Uint8Array((got.response as AuthenticatorAssertionResponse).authenticatorData)[32]
  return !!flags && (flags & 4) !== 0 // the person was verified, not only present
}

function random(): Uint8Array<ArrayBuffer> { return crypto.getRandomValues(new Uint8Array(32)) }
