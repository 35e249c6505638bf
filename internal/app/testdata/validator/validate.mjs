// Prints what is wrong with an OpenAPI document: node validate.mjs openapi.json
import { readFileSync } from "node:fs"
import { Validator } from "@seriousme/openapi-schema-validator"

const validator = new Validator()
const { valid, errors } = await validator.validate(JSON.parse(readFileSync(process.argv[2], "utf8")))
if (!valid) {
  console.error(JSON.stringify(errors, null, 1))
  process.exit(1)
}
validator.resolveRefs() // throws on a $ref to nothing
