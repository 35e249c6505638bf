// What the server says about itself, in the page.
export interface Config {
  version: string
  demo: boolean
  map: { tiles: string; attribution: string } | null // --map-tiles; without it maps are schematic
  accounts: { label: string; school: string; role: string; phone: string; email: string; password: string }[]
}

export const config = JSON.parse(document.getElementById("config")!.textContent!) as Config
