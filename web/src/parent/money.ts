import { t } from "../words/words"

/** How something was paid, in words. */
export function methodName(method: string): string {
  switch (method) {
    case "CASH": return t("cash")
    case "CHEQUE": return t("cheque")
    case "CARD": return t("card")
    case "UPI": return t("UPI")
    case "BANK_TRANSFER": return t("bank transfer")
    default: return t("online")
  }
}
