// The counter: find a family, see what is open, take the money, print the receipt. Keyboard alone is enough.
import { useState } from "preact/hooks"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { query, setQuery } from "../../shell/router"
import { Head, Ready, State } from "../../ui/basics"
import { t } from "../../words/words"
import { useFamily } from "./family"
import { Find } from "./find"
import type { Receipt } from "./paper"
import { Pay } from "./pay"

export default function Counter() {
  const chosen = query.value.get("student")
  const [receipt, setReceipt] = useState<Receipt>()
  const [turn, setTurn] = useState(0)
  const family = useFamily(chosen)
  const [visit, setVisit] = useState(0) // a family that comes again starts anew
  const choose = (student: string) => { setReceipt(undefined); setVisit(visit + 1); setQuery({ student }) }
  const next = () => { setReceipt(undefined); setQuery({ student: "" }); setTurn(turn + 1) }
  useKey("escape", t("Next family"), () => { if (!document.querySelector("dialog[open], [popover]:popover-open")) next() })
  if (!may("write", "fee")) return <State icon="lock" title={t("This page is not open to you")}><p>{t("Taking money needs the right to write fees.")}</p></State>
  return (
    <div class="counter">
      <Find chosen={chosen} choose={choose} turn={turn} />
      {chosen
        ? <Ready of={family}>{(a) => <Pay key={`${chosen} ${visit}`} account={a} receipt={receipt} taken={setReceipt} next={next} />}</Ready>
        : <section class="pane main"><Head title={t("Fee counter")} sub={t("Find a family by the child's or guardian's name, or by the phone number.")} />
            <State icon="coin" title={t("Who is at the counter?")}><p>{t("Type two letters and press Enter.")}</p></State></section>}
    </div>
  )
}
