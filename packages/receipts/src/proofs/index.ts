export { type CheckedProof, checkProof, openByLine } from "./check.ts";
export { type FollowedLine, followKeyLine, type KeyLine } from "./key-line.ts";
export { type ConsistencyProof, type InclusionProof, type LedgerProof, PROOF_FORMAT, readProof } from "./proof.ts";
export { type Asking, type LedgerMemory, lookAgain, type Sighting } from "./remember.ts";
export { type MemoryShelf, type ShownLedger, type Witnessed, witnessLedger } from "./witness.ts";
