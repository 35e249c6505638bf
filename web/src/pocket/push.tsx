// "Tell me on this phone": push messages of this browser.
import { useEffect, useState } from "preact/hooks"
import { get, post } from "../api/client"
import { canPush, subscription, unsubscribe } from "../api/push"
import { may } from "../api/session"
import { say, sayFault } from "../shell/toast"
import { Banner, Button, Card, Icon } from "../ui/basics"
import { t } from "../words/words"
import { register } from "./offline"
import { routes } from "./routes"

/** Registers this browser for the session; false if the service sends no push messages. */
async function subscribe(): Promise<boolean> {
  const { publicKey } = await get(routes().pushKey)
  if (!publicKey) return false
  await register()
  const worker = await navigator.serviceWorker.ready
  let sub = await worker.pushManager.getSubscription()
  if (sub && keyOf(sub) !== publicKey) { await sub.unsubscribe(); sub = null }
  sub ??= await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { endpoint, keys } = sub.toJSON()
  await post(routes().token, { platform: "web", subscription: { endpoint: endpoint!, keys: { p256dh: keys!.p256dh!, auth: keys!.auth! } } })
  return true
}

/** The service's key that a subscription was made with, in base64url. */
function keyOf(sub: PushSubscription): string {
  const raw = new Uint8Array(sub.options.applicationServerKey ?? new ArrayBuffer(0))
  return btoa(String.fromCharCode(...raw)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** Registers the browser again, as a new session needs. Nothing happens where nobody asked for messages. */
export async function renewPush(): Promise<void> {
  try {
    if ((await subscription()) && Notification.permission === "granted" && may("write", "notification")) await subscribe()
  } catch {
    // Without a network: at the next start.
  }
}

export function Push() {
  const [on, setOn] = useState<boolean>()
  const [busy, setBusy] = useState(false)
  useEffect(() => { void subscription().then((s) => setOn(s !== null && Notification.permission === "granted")) }, [])
  async function start() {
    setBusy(true)
    try {
      if ((await Notification.requestPermission()) !== "granted") return
      if (!(await subscribe())) { say(t("This school sends no messages to browsers.")); return }
      setOn(true)
      say(t("News is shown on this phone."))
    } catch (e) {
      if (e instanceof DOMException) say(t("This browser can't show messages of a closed app.")) // it has no push service, or that is out of reach
      else sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  async function stop() {
    await unsubscribe()
    setOn(false)
    say(t("This phone stays silent."))
  }
  if (!may("write", "notification") || on === undefined) return null
  if (!canPush) return <Banner icon="bell">{t("To be told on this phone, put the app on its home screen first.")}</Banner>
  return (
    <Card>
      <div class="stack">
        <p class="row"><Icon name="bell" size="md" /><b class="grow">{on ? t("News is shown on this phone, also when the app is closed.") : t("Shall we tell you on this phone when the app is closed?")}</b></p>
        {Notification.permission === "denied" && !on ? <p class="help">{t("This browser does not allow it. Allow notifications of this page in its settings.")}</p>
          : on ? <Button onClick={() => void stop()}>{t("No longer tell me on this phone")}</Button> : <Button kind="go" busy={busy} onClick={() => void start()}>{t("Tell me on this phone")}</Button>}
      </div>
    </Card>
  )
}
