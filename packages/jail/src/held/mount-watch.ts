import { closeSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AskedThread } from "@countersign/core/worker";
import { openPipe } from "@countersign/native";
import { isRunning, JailError, killTree, startOf } from "../base/index.ts";
import { type HoldFacts, QUIT, WAKE, type WatchAnswer, type WatchOrder } from "./hold-order.ts";

/** A jail whose mounts are watched until its end is known. */
export interface Held {
  /**
   * To be asked when the run is over: what it lost while it ran; undefined if nothing. `""`: that can't be told. Waits until nobody in the jail
   * can run any more, and releases the hold. The same answer however often it is asked.
   */
  lost(): Promise<string | undefined>;
}

/** What was killed is gone within a turn of the scheduler. */
const GONE_MS = 5_000;

/**
 * Watches what jails hold by mounts, from before their commands start: names in them can be renamed, replaced and removed from outside, and
 * the kernel takes their mounts away everywhere. A thread of its own kills a jail at the first loss, however busy the hub is.
 */
export class MountWatch {
  readonly #pipe = openPipe();
  readonly #thread: AskedThread<WatchOrder, WatchAnswer>;
  readonly #running = new Map<number, () => void>();
  readonly #quit = () => void writeSync(this.#pipe.write, QUIT);
  #last = 0;
  #closed = false;

  constructor() {
    this.#thread = new AskedThread(new URL("./watch-thread.ts", import.meta.url), {
      data: { wake: this.#pipe.read },
      wake: () => writeSync(this.#pipe.write, WAKE),
      // Nobody watches them any more.
      ended: () => {
        for (const kill of this.#running.values()) kill();
      },
    });
    // A process waits for its threads before it exits, and this one waits for the kernel.
    process.on("exit", this.#quit);
  }

  /** Holds a jail whose command waits. `pid`: its first process. Undefined if it isn't what it should be. Rejects with JailError. */
  async hold(pid: number, facts: HoldFacts): Promise<Held | undefined> {
    if (this.#closed) throw new JailError("CLOSED", "The hub is stopping");
    this.#last += 1;
    const id = this.#last;
    const start = startOf(pid);
    this.#running.set(id, () => killTree(pid, start));
    try {
      const { changed } = await this.#thread.ask({ do: "hold", id, pid, facts });
      if (changed) this.#running.delete(id);
      if (changed) return undefined;
    } catch (cause) {
      this.#running.delete(id);
      throw new JailError("WATCH_FAILED", `What the jail holds can't be watched (${whyNot(cause as Error)})`, {
        cause,
      });
    }
    let lost: Promise<string | undefined> | undefined;
    const ask = async () => {
      const until = performance.now() + GONE_MS;
      while (isRunning(pid, start) && performance.now() < until) await sleep(1);
      const lost = await this.#release(id);
      // What still runs may lose something yet, and nobody looks any more.
      return lost ?? (isRunning(pid, start) ? "" : undefined);
    };
    return {
      lost: () => {
        lost ??= ask();
        return lost;
      },
    };
  }

  async #release(id: number): Promise<string | undefined> {
    try {
      if (this.#closed) return "";
      return (await this.#thread.ask({ do: "release", id })).lost;
    } catch {
      // The thread has ended, and nobody knows what it would have seen.
      return "";
    } finally {
      this.#running.delete(id);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    process.off("exit", this.#quit);
    this.#quit();
    await this.#thread.ending();
    closeSync(this.#pipe.read);
    closeSync(this.#pipe.write);
  }
}

/** What the thread said, or what ended it. */
function whyNot({ message, cause }: Error): string {
  const said = cause instanceof Error ? cause.message : message;
  if (said === "inotify_add_watch: ENOSPC") return "fs.inotify.max_user_watches is reached";
  return said === "inotify_init1: EMFILE" ? "fs.inotify.max_user_instances is reached" : said;
}
