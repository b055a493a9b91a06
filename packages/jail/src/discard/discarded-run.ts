import { type Guard, type GuardFacts, NOTHING } from "../workspace/index.ts";
import type { Changes } from "./change-list.ts";
import type { DiscardSandbox } from "./discard-sandbox.ts";
import type { DiscardSandboxes } from "./discard-sandboxes.ts";
import { findChanges } from "./find-changes.ts";
import { guardRoot } from "./guard-root.ts";

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
