// Files of a record: chosen, dropped or pasted, uploaded at once, and attached when the record is saved.
import { useId, useRef, useState } from "preact/hooks"
import { upload } from "../api/client"
import type { Schema } from "../api/contract"
import { sayFault } from "../shell/toast"
import { bytes } from "../words/format"
import { t } from "../words/words"
import { Button, Icon } from "./basics"
import type { FieldSpec } from "./form"

export type Attached = Schema["UploadedFile"]
export type Purpose = "ANNOUNCEMENT" | "LEAVE" | "MESSAGE" | "STUDENT_PHOTO" | "LOGO" | "INCIDENT"

const most = 10

export async function uploadFile(file: File, purpose: Purpose): Promise<Attached> {
  const form = new FormData()
  form.set("purpose", purpose)
  form.set("file", file)
  return (await upload("/school-admin/file/upload", form)) as Attached
}

/** The field of a form for files. */
export function filesField(purpose: Purpose): FieldSpec {
  const label = t("Attach files")
  return { name: "files", label, kind: "files",
    control: ({ value, onChange }) => <Attach label={label} purpose={purpose} files={(value as Attached[] | undefined) ?? []} onChange={onChange} /> }
}

/** A button that adds files, and those added. */
export function Attach({ label, purpose, files, onChange, small }: { label: string; purpose: Purpose; files: Attached[]; onChange: (files: Attached[]) => void; small?: boolean }) {
  const id = useId()
  const [busy, setBusy] = useState(0)
  const latest = useRef(files)
  latest.current = files
  async function add(list: FileList | null | undefined) {
    const chosen = [...(list ?? [])].slice(0, most - files.length)
    setBusy((b) => b + chosen.length)
    for (const file of chosen) {
      try {
        onChange((latest.current = [...latest.current, await uploadFile(file, purpose)]))
      } catch (e) {
        sayFault(e)
      } finally {
        setBusy((b) => b - 1)
      }
    }
  }
  return (
    <div class="attach" onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); void add(e.dataTransfer?.files) }}>
      <label class={small ? "btn plain icon" : "btn plain"} for={id}><Icon name="clip" />{small ? <span class="sr">{label}</span> : label}</label>
      <input class="sr" id={id} type="file" multiple disabled={files.length >= most} onChange={(e) => { void add(e.currentTarget.files); e.currentTarget.value = "" }} />
      <Files files={files} onRemove={(f) => onChange(files.filter((x) => x.id !== f.id))} />
      {busy > 0 && <span class="small muted" role="status">{t("Uploading…")}</span>}
    </div>
  )
}

/** Files as small links; pictures as pictures. */
export function Files({ files, onRemove }: { files: Attached[]; onRemove?: (file: Attached) => void }) {
  if (files.length === 0) return null
  return (
    <ul class="files">{files.map((f) => (
      <li key={f.id}>
        <a href={f.url} target="_blank" rel="noreferrer">{f.thumbnailUrl ? <img src={f.thumbnailUrl} alt="" /> : <Icon name="file" />}<span class="cut"><bdi>{f.name}</bdi></span>
          <span class="faint nowrap">{bytes(f.size)}</span></a>
        {onRemove && <Button kind="plain" size="sm" icon="x" aria-label={t("Take away {file}", { file: f.name })} onClick={() => onRemove(f)} />}
      </li>
    ))}</ul>
  )
}
