export { Digest, type HashField } from "./digest.ts";
export { Digests } from "./digests.ts";
export type { LostHash } from "./hash-thread.ts";
export { RunningHash, sha256Text } from "./running-hash.ts";
