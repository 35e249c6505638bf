// Photos on a phone: made small before they are kept or sent.
import { useId, useState } from "preact/hooks"
import type { Attached } from "../api/queue"
import { sayFault } from "../shell/toast"
import { Button, Icon } from "../ui/basics"
import { t } from "../words/words"

const edge = 1600 // pixels of the longer side
const quality = 0.8

/** A photo as JPEG, at most 1600 pixels wide or high, ready for later(). Other files stay as they are. */
export async function attach(file: File, field: string, path: string): Promise<Attached> {
  const small = file.type.startsWith("image/") ? await shrink(file).catch(() => file) : file
  const name = small === file ? file.name : file.name.replace(/\.\w+$/, "") + ".jpg"
  return { field, path, name, type: small.type || "application/octet-stream", data: await base64(small) }
}

async function shrink(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" })
  const scale = Math.min(1, edge / Math.max(picture.width, picture.height))
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(picture.width * scale)), Math.max(1, Math.round(picture.height * scale)))
  canvas.getContext("2d")!.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  return canvas.convertToBlob({ type: "image/jpeg", quality })
}

async function base64(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader()
    reader.onload = () => done(String(reader.result).split(",")[1] ?? "")
    reader.onerror = () => fail(reader.error!)
    reader.readAsDataURL(blob)
  })
}

interface Props { label: string; field: string; path: string; most: number; files: Attached[]; onChange: (files: Attached[]) => void; small?: boolean }

/** A button that takes or chooses photos, and those chosen. */
export function Photos({ label, field, path, most, files, onChange, small }: Props) {
  const id = useId()
  const [busy, setBusy] = useState(false)
  async function add(list: FileList | null) {
    setBusy(true)
    try {
      const chosen = [...(list ?? [])].slice(0, most - files.length)
      onChange([...files, ...(await Promise.all(chosen.map((f) => attach(f, field, path))))])
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="attach">
      <label class={small ? "btn plain icon" : "btn"} for={id}><Icon name="pic" />{small ? <span class="sr">{label}</span> : label}</label>
      <input class="sr" id={id} type="file" accept="image/*,application/pdf" multiple disabled={busy || files.length >= most} onChange={(e) => { void add(e.currentTarget.files); e.currentTarget.value = "" }} />
      <ul class="files">{files.map((f, i) => (
        <li key={i}><span class="row pad"><Icon name={f.type.startsWith("image/") ? "pic" : "file"} /><span class="cut"><bdi>{f.name}</bdi></span></span>
          <Button kind="plain" size="sm" icon="x" aria-label={t("Take away {file}", { file: f.name })} onClick={() => onChange(files.filter((x) => x !== f))} /></li>
      ))}</ul>
    </div>
  )
}
