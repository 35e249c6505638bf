// What the first page of every role needs. The build imports this file everywhere (esbuild's --inject), which makes one script of it:
// esbuild writes a script for each set of pages that share a module, and over a slow network many small ones take long.
import "./shell/app"
import "./shell/lock"
import "./shell/live"
import "./ui/dialog"
import "./pocket/frame"
import "./pocket/screen"
import "./pocket/pages"
import "./pocket/routes"
