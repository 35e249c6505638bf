import { useState } from "preact/hooks"
import { get, put, remove } from "../../api/client"
import type { Input } from "../../api/contract"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Avatar, Badge, Button, Card, Facts, LinkButton, Ready } from "../../ui/basics"
import { Dialog, Menu } from "../../ui/dialog"
import type { FieldSpec, Values } from "../../ui/form"
import { Field } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { fullName } from "../../words/format"
import { languages, n, t } from "../../words/words"
import { LogCard } from "../students/log"
import { named, relations } from "../students/words"
import type { Guardian } from "./list"
import { Merge } from "./merge"

type Change = Input<"/school-admin/guardian/{id}", "put">

const languageOptions = Object.entries(languages).map(([value, text]) => ({ value, text }))
const fields = (): FieldSpec[] => [
  { name: "name", label: t("Name"), required: true, wide: true },
  { name: "phone", label: t("Phone"), kind: "phone", help: t("A new phone moves the sign-in: the person signs in again.") }, { name: "email", label: t("E-mail"), kind: "email" },
  { name: "address", label: t("Address"), kind: "textarea" }, { name: "language", label: t("Language"), kind: "select", options: languageOptions },
]

export default function GuardianPage({ params }: { params: Record<string, string> }) {
  const loaded = useGet("/school-admin/guardian/{id}", undefined, { id: params.id! })
  return <Ready of={loaded}>{(g) => <Whole guardian={g} />}</Ready>
}

function Whole({ guardian: g }: { guardian: Guardian }) {
  const [doing, setDoing] = useState<"edit" | "find">()
  const [other, setOther] = useState<Guardian>()
  const writes = may("write", "student")
  const path = { id: g.id }
  useKey("e", t("Edit"), () => { if (writes) setDoing("edit") })
  const save = async (v: Values, key: string) => {
    await put("/school-admin/guardian/{id}", v as Change, { path, key })
    const { name, phone, email, address, language } = g
    say(t("{name} is saved.", { name: g.name }), () => put("/school-admin/guardian/{id}", { name, phone, email, address, language }, { path }))
  }
  const end = () => remove("/school-admin/user/{id}/sessions", { path: { id: g.userId! } }).then(() => say(t("{name} is signed out everywhere.", { name: g.name })), sayFault)
  const child = g.children[0]
  return (
    <>
      <div class="head person"><Avatar name={g.name} size="xl" />
        <div class="grow"><div class="row wrap"><h1 tabIndex={-1}><bdi>{g.name}</bdi></h1>
          {g.userId ? <Badge tone="good">{t("has an account")}</Badge> : <Badge tone="warn">{t("no account")}</Badge>}</div>
          <p>{n(g.children.length, "{n} child at this school", "{n} children at this school")}</p>{!g.userId && <p>{t("With a phone, an account for the app is made.")}</p>}</div>
        <div class="row wrap">
          {g.phone && <a class="btn" href={`tel:${g.phone}`}>{g.phone}</a>}
          {child && g.userId && may("write", "message") && <LinkButton icon="chat" href={`/app/messages?to=${child.studentId}`}>{t("Write")}</LinkButton>}
          {writes && <Button icon="pen" hint="E" onClick={() => setDoing("edit")}>{t("Edit")}</Button>}
          <Menu label={t("More about {name}", { name: g.name })} items={[
            { text: t("Merge with another record"), icon: "swap", run: () => setDoing("find"), hidden: !writes },
            { text: t("Sign out everywhere"), icon: "lock", run: () => void end(), hidden: !g.userId || !may("delete", "employee") },
          ]} />
        </div>
      </div>
      <div class="cols">
        <div class="stack far">
          <Card title={t("Children")} flush><Children guardian={g} /></Card>
          {may("read", "report") && <LogCard id={g.id} />}
        </div>
        <Card title={t("Contact")}><Facts
          items={[[t("Phone"), g.phone], [t("E-mail"), g.email], [t("Address"), g.address], [t("Language"), named(languageOptions, g.language)]]} /></Card>
      </div>
      {doing === "edit" && <RecordDialog title={t("Edit {name}", { name: g.name })} fields={fields()} record={g as unknown as Values & { version: number }} save={save}
        latest={async () => (await get("/school-admin/guardian/{id}", undefined, { path })) as unknown as Values & { version: number }} onClose={() => setDoing(undefined)} />}
      {doing === "find" && <FindOther not={g.id} pick={(x) => { setDoing(undefined); setOther(x) }} onClose={() => setDoing(undefined)} />}
      {other && <Merge two={[g, other]} onClose={(merged) => { setOther(undefined); if (merged) go("/app/guardians") }} />}
    </>
  )
}

function Children({ guardian: g }: { guardian: Guardian }) {
  if (g.children.length === 0) return <p class="muted pad">{t("No child at this school any more.")}</p>
  return (
    <ul class="list">{g.children.map((c) => (
      <li key={c.studentId}><Avatar name={fullName(c)} size="md" />
        <div class="grow"><a href={`/app/students/${c.studentId}`}><bdi>{fullName(c)}</bdi></a><p>
          {[named(relations(), c.relation), c.className && `${c.className} ${c.divisionName ?? ""}`].filter(Boolean).join(", ")}</p></div>
        {c.isPrimary && <Badge>{t("first to call")}</Badge>}{!c.canViewData && <Badge tone="warn">{t("sees no data")}</Badge>}{!c.canPickUp && <Badge tone="warn">
          {t("may not collect")}</Badge>}</li>
    ))}</ul>
  )
}

function FindOther({ not, pick, onClose }: { not: string; pick: (g: Guardian) => void; onClose: () => void }) {
  const [search, setSearch] = useState("")
  const found = useGet(search.trim().length > 1 ? "/school-admin/guardian/list" : null, { search, limit: 8 })
  return (
    <Dialog title={t("Find the other record")} onClose={onClose}>
      <Field spec={{ name: "search", label: t("Name, phone or e-mail"), required: true }} value={search} onChange={(v) => setSearch(String(v))} />
      <ul class="list picklist">{found.data?.items.filter((x) => x.id !== not).map((x) => <li key={x.id}><button type="button" onClick={() => pick(x)}><bdi>{x.name}</bdi><span
        class="faint">{x.phone ?? x.email}</span></button></li>)}</ul>
    </Dialog>
  )
}
