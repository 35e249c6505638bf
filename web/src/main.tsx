import { render } from "preact"
import "../style/main.css"
import { App } from "./shell/app"
import { Lock } from "./shell/lock"
import { resume } from "./api/session"
import { loadWords } from "./words/words"

void resume()
await loadWords()
render(<App />, document.getElementById("app")!)
render(<Lock />, document.getElementById("lock")!)
