import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Log, Timer } from "@countersign/core/base";
import type { Home } from "@countersign/core/config";
import { type Store, StoreError, translateError } from "@countersign/store";

/** What a proposal, its decision and its end may need. With less than that the next one may be refused. */
const SPARE_BYTES = 256 * 1024;
const LOOK_EVERY_MS = 2_000;

/**
 * Knows whether the data directory can be written: from commits that failed for lack of room or permission, and from the space that is
 * left. While it can't, tries every two seconds, so that the report ends by itself. It refuses nothing: each commit does that itself.
 */
export class DiskWatch {
  readonly #home: Pick<Home, "dir" | "run">;
  readonly #store: Pick<Store, "commit">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #changed: () => void;
  #problem: StoreError | undefined;
  #due: Timer | undefined;
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(options: {
    readonly home: Pick<Home, "dir" | "run">;
    readonly store: Pick<Store, "commit">;
    readonly clock: Clock;
    readonly log: Log;
    /** The problem came or went. */
    readonly changed: () => void;
  }) {
    this.#home = options.home;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#changed = options.changed;
  }

  /** Why nothing can be put on record now; undefined while it can. */
  get problem(): StoreError | undefined {
    return this.#problem;
  }

  /** A commit failed. */
  failed(error: StoreError): void {
    if (this.#closed || (error.code !== "FULL" && error.code !== "UNWRITABLE")) return;
    this.#due ??= this.#clock.after(LOOK_EVERY_MS, () => {
      this.#due = undefined;
      void this.look();
    });
    if (this.#problem !== undefined) return;
    this.#problem = error;
    this.#log.error({ err: error }, "the data directory can't be written; everything new is denied until it can");
    this.#changed();
  }

  /** Compares `problem` with the disk as it is now. Never rejects. */
  look(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  close(): void {
    this.#closed = true;
    this.#due?.cancel();
  }

  async #look(): Promise<void> {
    const { dir, run } = this.#home;
    try {
      if (await lacksSpace(dir)) throw new StoreError("FULL", `${dir} is on a full disk. Free some space.`);
      if (this.#problem === undefined) return;
      await fillSpace(join(run, "room"));
      await this.#store.commit([{ op: "put-setting", key: "disk.written", value: this.#clock.wallMs() }]);
    } catch (cause) {
      this.failed(translateError(cause, "The data directory can't be written"));
      return;
    }
    this.#problem = undefined;
    this.#log.info({}, "the data directory can be written again");
    this.#changed();
  }
}

/** Whether less is left than a proposal may need. A directory that can't be looked at counts as one with room. */
export async function lacksSpace(dir: string): Promise<boolean> {
  try {
    const { bavail, bfree, bsize } = await statfs(dir);
    // Root may use the blocks that are kept back for it.
    const blocks = process.getuid?.() === 0 ? bfree : bavail;
    return blocks * bsize < SPARE_BYTES;
  } catch {
    // What is wrong with it is told by whoever reads or writes there.
    return false;
  }
}

/** Writes as much as a proposal may need, and removes it: a quota doesn't show in what is left of the disk. */
async function fillSpace(path: string): Promise<void> {
  try {
    const file = await open(path, "w", 0o600);
    try {
      await file.writeFile(Buffer.alloc(SPARE_BYTES, 1));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}
