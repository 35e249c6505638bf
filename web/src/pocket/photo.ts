// Photos are made smaller before they are kept or sent: phones take 12 megapixels, a note needs one.
import type { Attached } from "../api/queue"
import { Fault } from "../api/client"
import { t } from "../words/words"

const longest = 1600 // pixels
const quality = 0.8

/** Makes a photo ready for later(): at most 1,600 pixels, JPEG, without the place where it was taken. */
export async function photo(file: File, to: { field: string; path: string; purpose: string }): Promise<Attached> {
  const picture = await createImageBitmap(file).catch(() => { throw new Fault(-1, "PHOTO", t("This file is not a photo that the browser can read.")) })
  const scale = Math.min(1, longest / Math.max(picture.width, picture.height))
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale))
  canvas.getContext("2d")!.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality })
  return { ...to, name: file.name.replace(/\.\w+$/, "") + ".jpg", type: "image/jpeg", data: await base64(blob) }
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ""
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return btoa(text)
}
