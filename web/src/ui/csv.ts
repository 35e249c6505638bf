// CSV files, made here from what a list shows.
import { download } from "../api/client"
import { sayFault } from "../shell/toast"

interface CSVColumn<T> { label: string; text: (row: T) => string | number | null | undefined }

export async function saveCSV<T>(name: string, columns: CSVColumn<T>[], rows: () => Promise<T[]>): Promise<void> {
  try {
    const lines = [columns.map((c) => quote(c.label)), ...(await rows()).map((r) => columns.map((c) => quote(c.text(r))))]
    saveBlob(new Blob(["\ufeff" + lines.map((l) => l.join(",")).join("\r\n") + "\r\n"], { type: "text/csv" }), `${name}.csv`)
  } catch (e) {
    sayFault(e)
  }
}

/** Hands a file to the browser's downloads. */
export function saveBlob(blob: Blob, name: string): void {
  const a = document.createElement("a")
  a.href = URL.createObjectURL(blob)
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(a.href), 60_000)
}

/** Saves a file of the service (CSV, PDF). */
export async function saveFile(url: string): Promise<void> {
  try {
    const { blob, name } = await download(url)
    saveBlob(blob, name)
  } catch (e) {
    sayFault(e)
  }
}

/** Quotes a field. A text that a spreadsheet would run as a formula gets an apostrophe. */
function quote(v: string | number | null | undefined): string {
  if (typeof v === "number") return String(v)
  const safe = /^[=+\-@\t\r]/.test(v ?? "") && !/^[+-]?[\d .()-]+$/.test(v ?? "") ? `'${v}` : (v ?? "")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
