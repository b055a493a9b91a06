import type { EffectKind } from "@countersign/vocabulary";
import type { DiscardedChanges } from "../discard/index.ts";
import type { Launch, ProcessResult } from "../process/index.ts";
import type { JailReport } from "../workspace/index.ts";
import type { JailSpec } from "./jail-spec.ts";

/** Puts jails around commands, in one way of one operating system. */
export interface Engine {
  /** Builds a jail and tries what must hold in it. Rejects with JailError if it can't be built, or doesn't hold. */
  probe(): Promise<void>;
  /** Whether a jail keeps a command from effects of this kind that its spec doesn't allow. */
  holds(effect: EffectKind): boolean;
  /** Builds the jail of one run. Rejects with JailError. */
  build(spec: JailSpec): Promise<BuiltJail>;
  /** The user that commands become, if they don't run as the hub's own. */
  readonly droppedUid: number | undefined;
  /** Limits of every run that aren't enforced in full on this machine, in words. */
  readonly unheldLimits: readonly string[];
  close(): Promise<void>;
}

export interface BuiltJail {
  /** Starts the command in the jail. */
  readonly launch: Launch;
  /** Present if the spec discards what is written. */
  readonly discarded?: Discarded;
  /** Whether a run ended because the jail couldn't be built after all: nothing of the command ran, and a new jail may do. */
  mayBuildAgain(result: ProcessResult): boolean;
  /** Ends what is left of the run, releases what the jail needed, and reports what it saw. Called once, after the run. */
  finish(): Promise<JailReport>;
}

/** What a run writes that keeps nothing. */
export interface Discarded {
  /** Why the run must end now: it wrote more than it may. Undefined if it may go on. */
  outgrown(): Promise<string | undefined>;
  /** What the run changed, once its jail is finished. */
  changes(): Promise<DiscardedChanges | undefined>;
}

/** Decisions for a jailed command rely on these: secrets are hidden; writes and connections that weren't predicted fail. */
const RELIED_ON: readonly EffectKind[] = [
  ...(["reads", "credentials", "writes", "deletes", "persistence", "history-rewrite"] as const),
  ...(["network-read", "network-send"] as const),
];

/** Returns the kinds of effects that decisions rely on and that this engine doesn't hold. */
export function effectsNotHeld(engine: Pick<Engine, "holds">): EffectKind[] {
  return RELIED_ON.filter((kind) => !engine.holds(kind));
}
