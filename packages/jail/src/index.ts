export { JailError, type JailErrorCode } from "./base/index.ts";
export {
  type EngineProbe,
  giveable,
  openWorkspaceJail,
  probeEngine,
  WorkspaceJail,
  type WorkspaceJailOptions,
} from "./bubblewrap/index.ts";
export { type DiscardedChanges, watchGrowth } from "./discard/index.ts";
export {
  type BuiltJail,
  type Discarded,
  type Engine,
  explainFailure,
  type JailSpec,
  type LentCredentials,
  runInJail,
  snapshotCode,
} from "./engine/index.ts";
export { changedOpening, isApproved, type Openings, openedWords, planOpenings } from "./opened/index.ts";
export { isWider, type JailKind, type JailPlan, ownHosts, planJail, usesGit } from "./plan/index.ts";
export {
  Attachment,
  CappedOutput,
  type Launch,
  type Position,
  type ProcessPlan,
  type ProcessResult,
  RunOutput,
  startProcess,
  unjailed,
  Withdrawal,
} from "./process/index.ts";
export { findPlaces, PlaceIndex } from "./sensitive/index.ts";
export { overlayLimits, removeLeftBehind, type SessionRequest } from "./session/index.ts";
export type { JailReport } from "./workspace/index.ts";
