export { OPEN_CODE, policyLines } from "./policy.ts";
