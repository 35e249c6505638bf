// The middle of the counter: what is open, how much was given and how, and the button that takes it.
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { Fault, post } from "../../api/client"
import { asFault, changed } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say } from "../../shell/toast"
import { Button, Head, Icon, LinkButton, State } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { money, today } from "../../words/format"
import { n, t } from "../../words/words"
import { cents, methodText, methods, openCharges, readAmount, share, sum, writeAmount, type Method } from "./amount"
import { ChargesTable } from "./charges_table"
import { surname, type Account } from "./family"
import { Draft, ReceiptPaper, type Receipt } from "./paper"

interface Props { account: Account; receipt: Receipt | undefined; taken: (r: Receipt) => void; next: () => void }

export function Pay({ account, receipt, taken, next }: Props) {
  const { statements } = account
  const open = openCharges(statements)
  const [ticked, setTicked] = useState(() => dueNow(account))
  const [typed, setTyped] = useState<string | null>(null)
  const [method, setMethod] = useState<Method>("CASH")
  const [more, setMore] = useState({ given: "", reference: "", payer: account.payer, note: "", date: today() })
  const [fault, setFault] = useState<Fault>()
  const [busy, setBusy] = useState(false)
  const [stays, setStays] = useState(0) // open after the payment; the accounts are loaded again only after printing
  const key = useRef(crypto.randomUUID())
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => { if (!receipt) setTimeout(() => { field.current?.focus(); field.current?.select() }) }, [])
  const asked = sum(open.filter((c) => ticked.has(c.id)).map((c) => c.due))
  const read = typed === null ? asked : readAmount(typed)
  const amount = read ?? 0
  const plan = share(statements, ticked, amount)
  const set = (name: keyof typeof more) => (value: string) => setMore((m) => ({ ...m, [name]: value }))
  async function take(print: boolean) {
    if (busy || receipt) return
    if (!amount) { field.current?.focus(); setFault(new Fault(422, "", "", [{ field: "amount", message: t("Type how much was received.") }])); return }
    setBusy(true)
    try {
      const r = await post("/school-admin/fee/collection/record", {
        payments: plan.perStudent, method, allocations: [...plan.shares].map(([chargeId, sum]) => ({ chargeId, amount: sum })), payer: more.payer, note: more.note,
        reference: more.reference, date: more.date,
      }, { key: key.current })
      setStays(plan.open)
      taken(r)
      changed()
      say(t("{sum} taken, receipt {number}.", { sum: money(r.amount), number: r.number }), async () => taken(await undo(r.id)))
      if (print) setTimeout(() => window.print(), 60)
    } catch (e) {
      setFault(asFault(e))
    } finally { setBusy(false) }
  }
  useKey("ctrl+enter", t("Take the money and print"), () => void take(true))
  const wrong = (name: string) => fault?.details.find((d) => d.field.includes(name))?.message
  return (
    <>
      <section class="pane main">
        <Head title={<bdi>{statements.length > 1 ? t("{name} family", { name: surname(statements) }) : surname(statements)}</bdi>} sub={about(account)}>
          <Menu label={t("More")} items={[
            ...statements.map((s) => ({ text: t("Statement of {name}", { name: s.student.firstName ?? s.student.admissionNo }), icon: "file" as const,
              href: `/app/fees/students/${s.student.id}` })),
            { text: t("Charge something else"), icon: "plus", href: `/app/fees/charge?student=${statements[0]!.student.id}` },
          ]} />
        </Head>
        <ChargesTable statements={statements} ticked={ticked} setTicked={(s) => { setTicked(s); setTyped(null) }} plan={plan} />
        {receipt ? <Done receipt={receipt} next={next} /> : (
          <>
            {fault && !fault.details.length && <div class="summary" role="alert"><b>{fault.message}</b></div>}
            <form class="pay" onSubmit={(e) => e.preventDefault()}>
              <Labelled label={t("Amount received")} error={wrong("amount") ?? (read === null ? t("Type an amount such as 1,000.00.") : undefined)}
                help={left(plan.open, plan.advance)}>
                {(p) => <input {...p} ref={field} class="input big num" inputMode="decimal" autocomplete="off" value={typed ?? writeAmount(asked)}
                  onInput={(e) => { setTyped(e.currentTarget.value); setFault(undefined) }} />}
              </Labelled>
              <div class="field"><span class="label" id="how">{t("How")}</span>
                <Methods method={method} setMethod={setMethod} />
                {method === "CASH" ? <Change given={more.given} set={set("given")} amount={amount} />
                  : <Labelled label={t("Reference")} error={wrong("reference")}>
                    {(p) => <input {...p} class="input" autocomplete="off" value={more.reference} onInput={(e) => set("reference")(e.currentTarget.value)} />}</Labelled>}
              </div>
              <Labelled label={t("Received from")} error={wrong("payer")}>
                {(p) => <input {...p} class="input" autocomplete="off" value={more.payer} onInput={(e) => set("payer")(e.currentTarget.value)} />}</Labelled>
              <Labelled label={t("Received on")} error={wrong("date")}>
                {(p) => <input {...p} class="input" type="date" max={today()} value={more.date} onInput={(e) => set("date")(e.currentTarget.value)} />}</Labelled>
              <Labelled label={t("Note on the receipt")} optional wide error={wrong("note")}>
                {(p) => <input {...p} class="input" autocomplete="off" value={more.note} onInput={(e) => set("note")(e.currentTarget.value)} />}</Labelled>
            </form>
            <div class="row wrap dockbar">
              <Button kind="go" size="tall" icon="print" hint="Ctrl Enter" busy={busy} onClick={() => void take(true)}>{t("Take {sum} and print", { sum: money(amount) })}</Button>
              <Button size="tall" busy={busy} onClick={() => void take(false)}>{t("Take without printing")}</Button>
            </div>
          </>
        )}
        <div class="keys hide-sm"><span><kbd>/</kbd> {t("find")}</span><span><kbd>{t("Space")}</kbd> {t("tick a charge")}</span>
          <span><kbd>Alt 1</kbd>…<kbd>6</kbd> {t("how")}</span><span><kbd>Ctrl Enter</kbd> {t("take")}</span><span><kbd>Esc</kbd> {t("next family")}</span></div>
      </section>
      <section class="pane receipt-side" aria-label={t("Receipt")}>
        {receipt ? <ReceiptPaper receipt={receipt} {...(receipt.status === "ISSUED" && { open: stays })} />
          : <Draft statements={statements} plan={plan} amount={amount} method={method} payer={more.payer} note={more.note} reference={method === "CASH" ? "" : more.reference} />}
      </section>
    </>
  )
}

function undo(id: string): Promise<Receipt> { return post("/school-admin/fee/collection/{id}/undo", {}, { path: { id } }) }

function dueNow(a: Account): Set<string> {
  const open = openCharges(a.statements)
  const late = open.filter((c) => c.dueDate <= today())
  return new Set((late.length ? late : open).map((c) => c.id))
}

function about(a: Account): string {
  const children = n(a.statements.length, "One child.", "{n} children, one receipt.")
  return a.payer ? `${t("{name} pays.", { name: a.payer })} ${children} ${a.phone ?? ""}` : children
}

function left(open: number, advance: number): string {
  if (advance > 0) return t("{sum} more than is open: it pays later charges.", { sum: money(advance) })
  return open > 0 ? t("Goes to the oldest charge first. {sum} stays open.", { sum: money(open) }) : t("Nothing stays open.")
}

function Methods({ method, setMethod }: { method: Method; setMethod: (m: Method) => void }) {
  const hear = (i: number) => { const m = methods[i]; if (m) setMethod(m) }
  useKey("alt+1", methodText(methods[0]!), () => hear(0))
  useKey("alt+2", methodText(methods[1]!), () => hear(1))
  useKey("alt+3", methodText(methods[2]!), () => hear(2))
  useKey("alt+4", methodText(methods[3]!), () => hear(3))
  useKey("alt+5", methodText(methods[4]!), () => hear(4))
  useKey("alt+6", methodText(methods[5]!), () => hear(5))
  return (
    <div class="seg full" role="radiogroup" aria-labelledby="how">
      {methods.map((m) => <label key={m}><input type="radio" name="method" class="sr" checked={m === method} onChange={() => setMethod(m)} />{methodText(m)}</label>)}
    </div>
  )
}

function Change({ given, set, amount }: { given: string; set: (v: string) => void; amount: number }) {
  const got = readAmount(given)
  const back = got === null ? null : (cents(got) - cents(amount)) / 100
  return (
    <div class="row change"><span class="muted">{t("Given")}</span>
      <input class="input num" inputMode="decimal" autocomplete="off" aria-label={t("Cash given")} value={given} onInput={(e) => set(e.currentTarget.value)} />
      {back !== null && (back < 0 ? <span class="bad" role="status">{t("{sum} is missing", { sum: money(-back) })}</span>
        : <span role="status"><span class="muted">{t("Give back")}</span> <b class="num">{money(back)}</b></span>)}</div>
  )
}

function Done({ receipt, next }: { receipt: Receipt; next: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  const reversed = receipt.status === "REVERSED"
  useEffect(() => button.current?.focus(), [])
  return (
    <State icon={reversed ? "back" : "check"} title={reversed ? t("Receipt {number} is reversed.", { number: receipt.number }) : t("{sum} taken", { sum: money(receipt.amount) })}>
      {!reversed && <p>{t("Receipt {number}. Wrong? Undo reverses it, here or on its own page.", { number: receipt.number })}</p>}
      <div class="row wrap"><Button ref={button} kind="go" hint="Esc" onClick={next}>{t("Next family")}</Button>
        <Button icon="print" onClick={() => window.print()}>{t("Print again")}</Button>
        <LinkButton href={`/app/fees/receipts/${receipt.id}`}>{t("Open the receipt")}</LinkButton></div>
    </State>
  )
}

interface LabelledProps { label: string; help?: string; error?: string | undefined; optional?: boolean; wide?: boolean;
  children: (p: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ComponentChildren }

function Labelled({ label, help, error, optional, wide, children }: LabelledProps) {
  const id = useId()
  return (
    <div class={`field ${wide ? "wide" : ""} ${error ? "wrong" : ""}`}><label for={id}>{label}{optional && <span class="opt"> {t("optional")}</span>}</label>
      {children({ id, "aria-describedby": `${id}-help`, "aria-invalid": !!error })}
      <p id={`${id}-help`} class={error ? "error" : "help"}>{error ? <><Icon name="alert" />{error}</> : help}</p></div>
  )
}
