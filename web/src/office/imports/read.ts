// Reads tables from files and from the clipboard, and writes CSV for the service.
import { t } from "../../words/words"

export interface Sheet { name: string; header: string[]; rows: string[][] }

const most = 10_000

/** Reads a file. Spreadsheets of older programs are often not UTF-8. */
export async function readFile(file: File): Promise<Sheet> {
  if (/\.(xlsx?|ods|numbers)$/i.test(file.name)) throw new Error(t("This is a spreadsheet. Save it as CSV and drop that, or copy the cells and paste them here."))
  const bytes = await file.arrayBuffer()
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    text = new TextDecoder("windows-1252").decode(bytes)
  }
  return readText(file.name, text)
}

/** Reads CSV with commas or semicolons, or cells pasted from a spreadsheet. */
export function readText(name: string, text: string): Sheet {
  const all = parse(text.replace(/^\ufeff/, ""), separatorOf(text)).filter((r) => r.some((c) => c.trim() !== ""))
  const header = all[0] ?? []
  const rows = all.slice(1).map((r) => header.map((_, i) => plain(r[i] ?? "")))
  if (rows.length === 0) throw new Error(t("There are no rows below the headings."))
  if (rows.length > most) throw new Error(t("Too many rows: at most {n} at once.", { n: most.toLocaleString() }))
  return { name, header: header.map((h) => h.trim()), rows }
}

/** Exports mark phone numbers as text with an apostrophe, for spreadsheets. */
function plain(cell: string): string { return cell.trim().replace(/^'(?=[=+\-@])/, "") }

function separatorOf(text: string): string {
  const line = text.slice(0, text.search(/[\r\n]|$/))
  return ["\t", ";", ","].map((s) => [s, line.split(s).length] as const).sort((a, b) => b[1] - a[1])[0]![0]
}

function parse(text: string, separator: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ""
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (quoted) {
      if (c !== '"') cell += c
      else if (text[i + 1] === '"') { cell += '"'; i++ } else quoted = false
    } else if (c === '"' && cell === "") quoted = true
    else if (c === separator) { rows.at(-1)!.push(cell); cell = "" }
    else if (c === "\n") { rows.at(-1)!.push(cell.replace(/\r$/, "")); cell = ""; rows.push([]) }
    else cell += c
  }
  rows.at(-1)!.push(cell.replace(/\r$/, ""))
  return rows
}

export function writeCSV(header: string[], rows: string[][]): File {
  const quote = (v: string) => (/[",\r\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v)
  return new File([[header, ...rows].map((r) => r.map(quote).join(",")).join("\r\n") + "\r\n"], "import.csv", { type: "text/csv" })
}
