export type * from "../../../clients/typescript/src/contract.js"
