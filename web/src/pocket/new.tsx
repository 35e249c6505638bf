// A new message: first to whom, then what.
import { useEffect, useState } from "preact/hooks"
import { answered, waiting } from "../api/queue"
import type { Row, Schema } from "../api/contract"
import { role } from "../api/session"
import { useGet } from "../shell/load"
import { go, query, setQuery } from "../shell/router"
import { say } from "../shell/toast"
import { Avatar, Banner, Button, Card, Icon, Ready, State } from "../ui/basics"
import { t } from "../words/words"
import { useLate } from "./messages"
import { mayMessage, routes } from "./routes"
import { Screen } from "./screen"
import { nameOf, Write } from "./write"

type Person = Row<"/teacher/message/recipients">
interface Choice { person: Person; studentId?: string; about: string }

const most = 100

export default function New() {
  const student = query.value.get("student")
  const to = query.value.get("to")
  const [text, setText] = useState("")
  const search = useLate(text)
  const onServer = role.value === "TEACHER" && !to // a teacher may have hundreds of parents
  const list = useGet(routes().recipients, { limit: most, ...(student && role.value !== "DRIVER" && { studentId: student }), ...(onServer && search && { search }) })
  const word = search.toLocaleLowerCase()
  const found = (list.data?.items ?? []).flatMap(choices).filter((c) => onServer || !word || `${c.person.name} ${c.about}`.toLocaleLowerCase().includes(word))
  const mine = found.filter((c) => c.person.id === to && (!student || !c.studentId || c.studentId === student))
  const chosen = mine.length === 1 || student ? mine[0] : undefined
  const shown = to && mine.length > 1 ? mine : found
  const label = t("Search by name")
  if (chosen) return <Letter key={nameOf(target(chosen))} to={chosen} />
  return (
    <Screen title={t("Who is it for?")} back="/app/messages">
      {!mayMessage("write") ? <Banner icon="lock">{t("You may read messages, but not write them.")}</Banner> : (
        <>
          {role.value !== "DRIVER" && <span class="with"><Icon name="search" />
            <input class="input" type="search" aria-label={label} placeholder={label} value={text} onInput={(e) => setText(e.currentTarget.value)} /></span>}
          {to && list.data && mine.length === 0 && <Banner icon="info">{t("You can't write to this person. Choose somebody else.")}</Banner>}
          <Ready of={list} rows={8}>{(d) => (
            <>
              {shown.length === 0 ? <State icon="search" title={t("Nobody with an account has this name.")} /> : (
                <Card flush>{shown.map((c) => (
                  <button type="button" class="line" key={`${c.person.id} ${c.studentId}`} onClick={() => setQuery({ to: c.person.id, student: c.studentId ?? "" })}>
                    <Avatar name={nameFor(c.person)} size="md" /><span class="grow"><b><bdi>{nameFor(c.person)}</bdi></b>{c.about && <span>{t("about")} <bdi>{c.about}</bdi></span>}</span><Icon name="right" />
                  </button>
                ))}</Card>
              )}
              {d.total > d.items.length && <p class="help">{t("There are more. Search by name.")}</p>}
            </>
          )}</Ready>
        </>
      )}
    </Screen>
  )
}

function nameFor(p: Person): string { return p.role === "OFFICE" ? t("The office") : (p.name ?? "") }
function target(c: Choice) { return { recipientId: c.person.id, ...(c.studentId && { studentId: c.studentId }) } }

/** A person once for each student that a message can be about. With the office it is about none. */
function choices(person: Person): Choice[] {
  if (person.role === "OFFICE" || person.students.length === 0) return [{ person, about: "" }]
  return person.students.map((s) => ({ person, studentId: s.id, about: s.name }))
}

function Letter({ to }: { to: Choice }) {
  const name = nameFor(to.person)
  const [call, setCall] = useState<number>()
  useEffect(() => {
    if (call === undefined) return
    const a = answered.value
    if (a?.id === call) { go(`/app/messages/${(a.reply as Schema["MessageSent"]).thread.id}`, { replace: true }); return }
    const w = waiting.value.find((x) => x.id === call)
    if (w?.refused) { setCall(undefined); return } // its text is back in the form, with the reason
    const timer = setTimeout(() => { say(t("Kept. It is sent when there is a network.")); go("/app/messages", { replace: true }) }, 2_000)
    return () => clearTimeout(timer)
  }, [call, answered.value, waiting.value])
  return (
    <Screen title={name} sub={to.about && <>{t("about")} <bdi>{to.about}</bdi></>} back="/app/messages" lead={<Avatar name={name} size="md" />}
      action={<Button size="sm" onClick={() => setQuery({ to: "", student: "" })}>{t("Somebody else")}</Button>}
      dock={mayMessage("write") && <Write to={target(to)} name={name} onSent={setCall} />}>
      <p class="help">{to.person.role === "OFFICE" ? t("Everybody in the office who answers messages can read it.") : t("Only you and {name} can read it.", { name })}</p>
    </Screen>
  )
}
