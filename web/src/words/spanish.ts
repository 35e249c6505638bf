import shell from "./es/shell.json"

export default { ...shell } as Record<string, string>
