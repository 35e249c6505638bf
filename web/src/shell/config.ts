// What the server says about itself, in the page.
export interface Config {
  version: string
  demo: boolean
  accounts: { label: string; school: string; role: string; phone: string; email: string; password: string }[]
}

export const config = JSON.parse(document.getElementById("config")!.textContent!) as Config
