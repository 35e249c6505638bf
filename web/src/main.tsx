import { render } from "preact"
import "../style/main.css"
import { App } from "./shell/app"
import { Lock } from "./shell/lock"
import { expected, resume } from "./api/session"
import { config } from "./shell/config"
import { loadWords } from "./words/words"

// Over a slow network, scripts that are found one after another take longer than the account.
for (const href of config.ahead[expected.value ?? ""] ?? []) document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }))
const resumed = resume()
await loadWords()
render(<App />, document.getElementById("app")!)
render(<Lock />, document.getElementById("lock")!)
await resumed
