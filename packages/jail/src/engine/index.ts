export { type BuiltJail, type Discarded, type Engine, effectsNotHeld } from "./engine.ts";
export { explainFailure } from "./explain-failure.ts";
export type { JailSpec, LentCredentials } from "./jail-spec.ts";
export { runInJail } from "./run-in-jail.ts";
export { snapshotCode } from "./snapshot-code.ts";
