export { type CheckedProof, checkProof, openByLine } from "./check.ts";
export { type FollowedHistory, followKeyHistory, type KeyHistory } from "./key-history.ts";
export { type ConsistencyProof, type InclusionProof, type LedgerProof, PROOF_FORMAT, readProof } from "./proof.ts";
export { type Asking, type LedgerMemory, type Observation, refreshCheckpoint } from "./refresh-checkpoint.ts";
export { type CheckpointStore, type ShownLedger, type Witnessed, witnessLedger } from "./witness.ts";
