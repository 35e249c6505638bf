// The frame: signed out, the sign-in page; signed in, the pages of one's role.
import type { ComponentChildren, ComponentType } from "preact"
import { effect } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { expected, known, me, role, school } from "../api/session"
import { Bones, FaultState, State } from "../ui/basics"
import { t } from "../words/words"
import { asFault } from "./load"
import { go, match, path, type Page } from "./router"
import type { Nav } from "./shell"
import { SignIn } from "./signin"
import { Toasts } from "./toast"

/** The pages of a role, loaded only by that role. */
export interface Space { home: string; pages: Page[]; nav: () => Nav[]; frame: ComponentType<{ nav: Nav[]; children: ComponentChildren }> }

const spaces: Record<string, () => Promise<{ default: Space }>> = {
  SCHOOL_ADMIN: () => import("../office/office"),
  SUPER_ADMIN: () => import("../platform/platform"),
  TEACHER: () => import("../teacher/teacher"),
  PARENT: () => import("../parent/parent"),
  DRIVER: () => import("../driver/driver"),
}

// While the account is loaded, so are the pages of its role. A failure shows again when they are needed.
effect(() => {
  spaces[expected.value ?? ""]?.().then(({ default: s }) => {
    const first = match(s.pages, inside(path.peek()) ? path.peek() : s.home)?.page
    first?.ahead?.()
    return first?.load()
  }).catch(() => {})
})

function inside(address: string): boolean { return /^\/app\/(?!sign-in$)./.test(address) }

/** Pages with an address of their own, which need no space. */
const apart: Record<string, Page["load"]> = {
  "/reset": () => import("./reset"),
}

export function App() {
  const alone = apart[path.value.replace(/\/$/, "")]
  if (alone) return <>{known.value ? <Shown page={{ path: path.value, load: alone }} params={{}} /> : <Bones />}<Toasts /></>
  return <>{known.value ? (me.value ? <Inside key={me.value.user.id} /> : <SignIn {...(path.value === "/app/live" && { first: "phone" })} />) : <Bones />}<Toasts /></>
}

function Inside() {
  const [space, setSpace] = useState<Space>()
  useEffect(() => {
    void spaces[role.value!]!().then((s) => {
      setSpace(s.default)
      if (!inside(path.value)) go(s.default.home, { replace: true })
    })
  }, [])
  useEffect(() => {
    const brand = school.value?.brandColor
    if (brand) document.documentElement.style.setProperty("--brand", brand)
    return () => { document.documentElement.style.removeProperty("--brand") }
  }, [school.value?.brandColor])
  if (!space) return <Bones />
  const found = match(space.pages, path.value)
  return <space.frame nav={space.nav()}>{found ? <Shown key={path.value} {...found} /> : <State icon="search" title={t("There is no such page")}><p><a href={space.home}>{t("Go to the first page")}</a></p></State>}</space.frame>
}

function Shown({ page, params }: { page: Page; params: Record<string, string> }) {
  const [state, set] = useState<{ at?: ComponentType<{ params: Record<string, string> }>; fault?: unknown }>({})
  useEffect(() => { page.load().then((m) => set({ at: m.default }), (fault: unknown) => set({ fault })) }, [])
  useEffect(() => { if (state.at) document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true }) }, [state.at])
  if (state.fault) return <FaultState fault={asFault(state.fault)} retry={() => location.reload()} />
  return state.at ? <state.at params={params} /> : <Bones />
}
