export { JailError, type JailErrorCode } from "./base/index.ts";
export {
  explainFailure,
  giveable,
  type Jailed,
  type JailProbe,
  type JailRequest,
  Jails,
  type Lent,
  openWorkspaceJail,
  ownHosts,
  probeJails,
  runInJail,
  snapshotCode,
  WorkspaceJail,
  type WorkspaceJailOptions,
} from "./build/index.ts";
export { type Looked, ThrowAway, watchGrowth } from "./discard/index.ts";
export { changedOpening, isApproved, type Openings, openedWords, planOpenings } from "./opened/index.ts";
export { cutJail, isWider, type JailCut, type JailKind, usesGit } from "./plan/index.ts";
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
export { overlayLimits, removeLeftBehind, type SessionWish } from "./session/index.ts";
export type { JailReport } from "./workspace/index.ts";
