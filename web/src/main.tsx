import { render } from "preact"
import "../style/main.css"
import { App } from "./shell/app"
import { resume } from "./api/session"
import { loadWords } from "./words/words"

await loadWords()
render(<App />, document.getElementById("app")!)
void resume()
