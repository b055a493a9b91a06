import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock, Timer } from "@countersign/core/base";
import { kindAt } from "@countersign/core/host/fs";
import { nodePath } from "@countersign/native";
import type { PlaceStep } from "../plan/index.ts";
import type { Withdrawal } from "../process/index.ts";
import { findPlaces, maskedNames } from "../sensitive/index.ts";
import { type Guard, type GuardFacts, hidePlaces, NOTHING, pinPlaces } from "../workspace/index.ts";
import type { Changes } from "./change-list.ts";
import type { DiscardSandbox } from "./discard-sandbox.ts";
import type { DiscardSandboxes } from "./discard-sandboxes.ts";
import { findChanges } from "./find-changes.ts";

/** What a preview did. */
export interface DiscardedChanges extends Changes {
  readonly how: DiscardSandbox["how"];
  /** What it had too little of. */
  readonly full: string | undefined;
}

/** One preview's way to build a jail: as any other, but what is written to the workspace is thrown away. */
export class DiscardedRun {
  readonly #sandboxes: DiscardSandboxes;
  readonly #cancelled: AbortSignal;
  readonly #masks = new Set<string>();
  #sandbox: DiscardSandbox | undefined;
  #changes: Promise<DiscardedChanges | undefined> | undefined;

  constructor(sandboxes: DiscardSandboxes, cancelled: AbortSignal) {
    this.#sandboxes = sandboxes;
    this.#cancelled = cancelled;
  }

  /** Nothing is planted by what is thrown away; so where a real run is searched after its end, this one is looked at. */
  async guard(facts: GuardFacts): Promise<Guard> {
    const { steps, masks } = await guardRoot(facts);
    for (const path of masks) this.#masks.add(path);
    const finish = async () => {
      await this.changes();
      return NOTHING;
    };
    return { steps, finish, release: () => undefined };
  }

  async open(paths: readonly string[], roots: readonly string[]): Promise<DiscardSandbox> {
    this.#sandbox = await this.#sandboxes.open({ paths, roots }, this.#cancelled);
    return this.#sandbox;
  }

  /** Why it must end now, if so. */
  async outgrown(): Promise<string | undefined> {
    // Once it is looked at, its end has come by itself.
    return this.#changes === undefined ? await this.#sandbox?.outgrown() : undefined;
  }

  /** What was seen of it, once its jail is finished; undefined when there was none. */
  changes(): Promise<DiscardedChanges | undefined> {
    this.#changes ??= this.#look();
    return this.#changes;
  }

  async #look(): Promise<DiscardedChanges | undefined> {
    if (!this.#sandbox) return undefined;
    const { how } = this.#sandbox;
    const full = this.#sandbox.fullness();
    return { how, full, ...(await findChanges(this.#sandbox.layers(), this.#masks)) };
  }
}

interface GuardedRoot {
  readonly steps: readonly PlaceStep[];
  /** Names that are held by directories which the jail makes in what is thrown away. */
  readonly masks: readonly string[];
}

/** What a jail covers in a workspace, as for a real run, without putting anything into the workspace itself. */
async function guardRoot(facts: GuardFacts): Promise<GuardedRoot> {
  const { root, home, isGit, writable } = facts;
  const places = await findPlaces(root, { home, isGit });
  if (!writable) return { steps: hidePlaces(root, places), masks: [] };
  const owner = statSync(root).uid;
  const masks = maskedNames({ ...facts, places }).filter((path) => canBeMade(path, owner));
  return { steps: pinPlaces({ ...facts, places, masks }).steps, masks };
}

const OWNER_WRITES = 0o300;

/** Where the workspace's owner can't make anything, a jail can't either. */
function canBeMade(path: string, owner: number): boolean {
  const parent = dirname(path);
  if (kindAt(path) !== undefined || kindAt(parent) !== "directory") return false;
  const { uid, mode } = statSync(nodePath(parent));
  return uid === owner && (mode & OWNER_WRITES) === OWNER_WRITES;
}

const LOOK_EVERY_MS = 200;

/** Ends a preview that takes more of the disk than it may. Returns how to stop looking. */
export function watchGrowth(
  preview: { outgrown(): Promise<string | undefined> },
  { clock, withdrawal }: { readonly clock: Clock; readonly withdrawal: Withdrawal },
): () => void {
  let stopped = false;
  let timer: Timer;
  const look = async () => {
    const why = await preview.outgrown();
    if (stopped) return;
    if (why === undefined) timer = clock.after(LOOK_EVERY_MS, () => void look());
    else withdrawal.withdraw(why);
  };
  timer = clock.after(LOOK_EVERY_MS, () => void look());
  return () => {
    stopped = true;
    timer.cancel();
  };
}
