// What an authenticator app needs: a QR code to scan, a link for an app on the same device, and the key to type.
import { encode } from "uqr"
import { t } from "../words/words"

export interface AppKeyParts { secret: string; uri: string }

export function AppKey({ secret, uri }: AppKeyParts) {
  return (
    <>
      <p>{t("Scan this with your authenticator app, then type the code that it shows.")}</p>
      <QRCode text={uri} label={t("QR code for your authenticator app")} />
      <p><a href={uri}>{t("Open the app on this device")}</a></p>
      <p class="sub" id="app-key">{t("Or type this key into the app:")}</p>
      <pre class="codes" aria-labelledby="app-key">{secret.match(/.{1,4}/g)?.join(" ")}</pre>
    </>
  )
}

/** Dark on light in both schemes: many scanners can't read the reverse. */
function QRCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border: 4 })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("")
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width="100%" height="240" shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" /><path d={path} fill="#000" />
    </svg>
  )
}
