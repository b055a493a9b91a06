export { revokeGrant, sendEdit, sendTrust } from "./edit-policy.ts";
export { hubIfAny, offline } from "./hub-or-home.ts";
