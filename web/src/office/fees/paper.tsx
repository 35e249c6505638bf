// A receipt as it is printed: of a payment that was taken, or of one that is being prepared.
import { me, school } from "../../api/session"
import { Icon } from "../../ui/basics"
import { date, fullDate, money, today } from "../../words/format"
import { t } from "../../words/words"
import type { Schema } from "../../api/contract"
import { paidText, type Method, type Plan, type Statement } from "./amount"
import { classOf, nameOf } from "./family"

export type Receipt = Schema["FeeReceipt"]
type Line = Pick<Schema["FeePaidFor"], "studentId" | "name" | "className" | "divisionName" | "amount" | "advance" | "admissionNo"> & { allocations: { chargeId: string;
  title: string; amount: number; part?: boolean }[] }

interface Props {
  number: string | null
  date: string
  payer: string | null
  method: Method
  reference?: string | null
  note?: string | null
  amount: number
  students: Line[]
  open?: number // what is still to pay after it
  takenBy?: string | null
  reversed?: string | null
}

export function Paper(p: Props) {
  const s = school.value!
  return (
    <article class="paper" aria-label={p.number ? t("Receipt {number}", { number: p.number }) : t("The receipt that will be printed")}>
      <div class="row top">{s.logoUrl ? <img class="crest big" src={s.logoUrl} alt="" /> : <span class="crest big" aria-hidden="true">{s.name.slice(0, 1)}</span>}
        <div><b>{s.name}</b><p>{s.address}{s.address && s.phone && <br />}{s.phone}</p></div></div>
      {p.reversed && <p class="stamp"><Icon name="alert" />{p.reversed}</p>}
      <div class="row top"><div><p>{t("Receipt")}</p><b class="num">{p.number ?? t("new")}</b></div>
        <div class="push end"><p>{t("Date")}</p><b class="num nowrap">{fullDate(p.date)}</b></div></div>
      {p.payer && <p>{t("Received from")}<br /><b><bdi>{p.payer}</bdi></b></p>}
      <table>
        <tbody>
          {p.students.map((x) => (
            <>
              <tr key={x.studentId}><th colSpan={2} scope="rowgroup"><bdi>{x.name ?? x.admissionNo}</bdi>{x.className && `, ${x.className} ${x.divisionName ?? ""}`}</th></tr>
              {x.allocations.map((a) => <tr key={a.chargeId}><td>{a.title}{a.part && ` (${t("part")})`}</td><td class="num">{money(a.amount)}</td></tr>)}
              {x.advance > 0 && <tr><td>{t("Paid ahead")}</td><td class="num">{money(x.advance)}</td></tr>}
            </>
          ))}
        </tbody>
        <tfoot><tr><th scope="row">{paidText(p.method)}</th><td class="num">{money(p.amount)}</td></tr></tfoot>
      </table>
      {p.open !== undefined && <dl class="facts"><dt>{t("Still open")}</dt><dd class="num">{p.open > 0 ? money(p.open) : t("nothing")}</dd></dl>}
      {(p.reference || p.note || p.takenBy) && <p>{[p.reference && t("Reference {text}.", { text: p.reference }), p.note,
        p.takenBy && t("Taken by {name}.", { name: p.takenBy })].filter(Boolean).join(" ")}</p>}
      {s.email && <p class="fold">{t("Questions? {email}", { email: s.email })}</p>}
    </article>
  )
}

export function ReceiptPaper({ receipt: r, open }: { receipt: Receipt; open?: number }) {
  const mine = r.receivedBy === me.value?.user.id ? me.value!.user.name : null
  const reversed = r.status === "REVERSED" ? t("Reversed on {date}: {reason}", { date: date(r.reversedOn), reason: r.reversalReason ?? "–" }) : null
  return <Paper {...r} takenBy={mine} reversed={reversed} {...(open !== undefined && { open })} />
}

/** What the receipt will look like, while the payment is prepared. */
export function Draft({ statements, plan, amount, method, payer, note, reference }: { statements: Statement[]; plan: Plan; amount: number; method: Method;
  payer: string; note: string; reference: string }) {
  const students = statements.map((s, i): Line => ({
    studentId: s.student.id, admissionNo: s.student.admissionNo, name: nameOf(s), className: classOf(s), divisionName: "", amount: 0, advance: i === 0 ? plan.advance : 0,
    allocations: s.charges.filter((c) => plan.shares.has(c.id))
      .map((c) => ({ chargeId: c.id, title: c.title, amount: plan.shares.get(c.id)!, part: plan.shares.get(c.id)! < c.due })),
  })).filter((s) => s.allocations.length > 0 || s.advance > 0)
  return <Paper number={null} date={today()} payer={payer} method={method} reference={reference} note={note} amount={amount} students={students} open={plan.open}
    takenBy={me.value!.user.name} />
}
