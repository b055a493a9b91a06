import { type ReadonlySignal, signal } from "@preact/signals";
import type { PageHub } from "../../hub/index.ts";
import type { HubAccess, Order, Progress, Verified } from "../worker/index.ts";
import { type Asked, ask } from "../worker/index.ts";

export type RunState =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly name: string | null; readonly progress: Progress; readonly startedMs: number }
  | { readonly kind: "stopped"; readonly name: string | null; readonly count: number }
  | { readonly kind: "failed"; readonly name: string | null; readonly message: string }
  | { readonly kind: "done"; readonly name: string | null; readonly verified: Verified; readonly atMs: number };

const NOT_BEGUN: Progress = { count: 0, of: null, fraction: null };

/** Runs one verification at a time, which continues while the person uses another view. */
export class VerifyRun {
  readonly #hub: HubAccess;
  readonly #state = signal<RunState>({ kind: "idle" });
  #asked: Asked | undefined;
  /** The last file, for verifying it again with a key. */
  #file: File | undefined;

  constructor(hub: HubAccess) {
    this.#hub = hub;
  }

  get state(): ReadonlySignal<RunState> {
    return this.#state;
  }

  verifyHub(): void {
    this.#file = undefined;
    this.#begin({ do: "verify-hub", hub: this.#hub }, null);
  }

  verifyFile(file: File, trust: string | null = null): void {
    this.#file = file;
    this.#begin({ do: "verify-file", hub: this.#hub, file, trust }, file.name);
  }

  /** Verifies the same file with a key that the person was given. */
  trust(key: string): void {
    if (this.#file !== undefined) this.verifyFile(this.#file, key);
  }

  stop(): void {
    const state = this.#state.value;
    this.#asked?.stop();
    if (state.kind === "running")
      this.#state.value = { kind: "stopped", name: state.name, count: state.progress.count };
  }

  clear(): void {
    this.stop();
    this.#state.value = { kind: "idle" };
  }

  async #begin(order: Order, name: string | null): Promise<void> {
    this.#asked?.stop();
    const startedMs = Date.now();
    this.#state.value = { kind: "running", name, progress: NOT_BEGUN, startedMs };
    const asked = ask(order, (progress) => {
      if (this.#asked === asked) this.#state.value = { kind: "running", name, progress, startedMs };
    });
    this.#asked = asked;
    const answer = await asked.answer;
    if (this.#asked !== asked) return;
    this.#state.value =
      answer.kind === "verified"
        ? { kind: "done", name, verified: answer.verified, atMs: Date.now() }
        : { kind: "failed", name, message: answer.kind === "failed" ? answer.message : "No verdict came." };
  }
}

const runs = new WeakMap<PageHub, VerifyRun>();

export function verifyRunOf(hub: PageHub): VerifyRun {
  const known = runs.get(hub);
  if (known !== undefined) return known;
  const made = new VerifyRun(hub.device);
  runs.set(hub, made);
  return made;
}
