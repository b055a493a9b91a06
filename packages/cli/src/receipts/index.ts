export { recordParts } from "./export-bundle.ts";
export { refuseExisting, writeParts } from "./new-file.ts";
export type { Verdict } from "./verdict.ts";
export { exitCodeOf, type VerifyCommandOptions, verdictOn } from "./verify.ts";
