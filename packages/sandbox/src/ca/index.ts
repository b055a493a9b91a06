export { Authority, type CaState, initCa, type NewCertificate, openCa } from "./authority.ts";
export { type Bundle, readBundle, serialOf } from "./bundle.ts";
export { CaError, type CaErrorCode } from "./ca-error.ts";
export type { Issued } from "./issued.ts";
export { RELAY_MS, SANDBOX_MS } from "./lifetimes.ts";
export { type Revocations, readRevocations } from "./read-revocations.ts";
export { isSandboxId, sandboxIdOfSan } from "./sandbox-id.ts";
