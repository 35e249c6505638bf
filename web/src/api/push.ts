// This browser's subscription to push messages. It belongs to the session, and ends with it.

/** Whether this browser can show messages of a closed app. On an iPhone it can once the app is on the home screen. */
export const canPush = "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis

/** The subscription, if there is one. */
export async function subscription(): Promise<PushSubscription | null> {
  if (!canPush) return null
  const worker = await navigator.serviceWorker.getRegistration("/app/")
  return (await worker?.pushManager.getSubscription()) ?? null
}

/** Ends it. The service learns of it when it next sends something. */
export async function unsubscribe(): Promise<void> {
  try {
    await (await subscription())?.unsubscribe()
  } catch {
    // The browser's push service is out of reach: the service sends nothing without a session.
  }
}
