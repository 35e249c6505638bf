// Links from other pages into the fees of a student.
import { may } from "../../api/session"
import { LinkButton } from "../../ui/basics"
import { t } from "../../words/words"

export function statementOf(studentId: string): string { return `/app/fees/students/${studentId}` }
export function counterFor(studentId: string): string { return `/app/fees/counter?student=${studentId}` }

/** "Statement" and "Take payment", for those who may. */
export function FeeLinks({ studentId }: { studentId: string }) {
  if (!may("read", "fee")) return null
  return <><LinkButton href={statementOf(studentId)}>{t("Statement")}</LinkButton>
    {may("write", "fee") && <LinkButton href={counterFor(studentId)} icon="coin" hint="F">{t("Take payment")}</LinkButton>}</>
}
