export {
  type Checkpoint,
  type CheckpointFault,
  type OpenedCheckpoint,
  openCheckpoint,
  readCheckpoint,
  signCheckpoint,
  signCheckpointNow,
} from "./checkpoint.ts";
export { type Cosignature, type Cosigner, checkCosignatures, cosignCheckpoint } from "./cosign.ts";
export { type Comparison, compareWithMemory } from "./memory.ts";
export type { NoteKey } from "./note.ts";
