import { Worker } from "node:worker_threads";
import koffi from "koffi";
import type { SpawnRequest } from "./posix-spawn.ts";
import type { Stance } from "./stance.ts";

export interface StartOrder {
  readonly id: number;
  readonly request: SpawnRequest;
  readonly stance: Stance;
}

export type StartReply =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly message: string; readonly code: string | undefined };

interface Pending {
  resolve(pid: number): void;
  reject(cause: Error): void;
}

const RLIMIT_CORE = 4;

/**
 * Starts programs for a root hub from a thread that takes their namespaces, user and control groups first: one program where `sh`,
 * which enters groups, and `nsenter`, which becomes bwrap, are three, and two milliseconds more.
 */
export class Starter {
  readonly #pending = new Map<number, Pending>();
  #thread: Worker | undefined;
  #next = 0;

  /** From then on neither the hub nor what it starts leaves its memory behind: a hub's holds secrets. */
  constructor() {
    const setrlimit = koffi.load(null).func("int setrlimit(int which, const void *limit)");
    if (setrlimit(RLIMIT_CORE, BigUint64Array.of(0n, 0n)) !== 0) throw new Error("Core dumps can't be forbidden");
  }

  /** Rejects with a system error's `code`, where there is one. The program dies with the hub's thread, if it asks for that. */
  start(request: SpawnRequest, stance: Stance): Promise<number> {
    this.#thread ??= this.#open();
    const thread = this.#thread;
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      thread.postMessage({ id, request, stance } satisfies StartOrder);
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #open(): Worker {
    const thread = new Worker(new URL("./starter-thread.ts", import.meta.url), { execArgv: [] });
    // What runs keeps the hub alive, and what waits for a start is about to run.
    thread.unref();
    thread.on("message", (reply: StartReply) => {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ("pid" in reply) pending?.resolve(reply.pid);
      else pending?.reject(Object.assign(new Error(reply.message), { code: reply.code }));
    });
    let why: unknown;
    thread.on("error", (cause) => {
      why = cause;
    });
    thread.on("exit", () => this.#ended(thread, why));
    return thread;
  }

  /** The next start gets a new one. */
  #ended(thread: Worker, cause: unknown): void {
    if (this.#thread === thread) this.#thread = undefined;
    const error = new Error("The thread that starts programs has ended", { cause });
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
