export { usePolicyEdit } from "./policy-edits.ts";
