import type { Page } from "../../shell/router"

export const pages: Page[] = []
