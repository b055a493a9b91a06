import { AskedThread } from "@countersign/core/worker";
import { forbidCoreDumps, type SpawnRequest } from "@countersign/native";
import type { Stance } from "./stance.ts";

export interface StartOrder {
  readonly request: SpawnRequest;
  readonly stance: Stance;
}

/**
 * Starts programs for a root hub from a thread that takes their namespaces, user and control groups first: one program where `sh`,
 * which enters groups, and `nsenter`, which becomes bwrap, are three, and two milliseconds more.
 */
export class Starter {
  readonly #thread = new AskedThread<StartOrder, number>(new URL("./starter-thread.ts", import.meta.url));

  /** From then on neither the hub nor what it starts leaves its memory behind: a hub's holds secrets. */
  constructor() {
    forbidCoreDumps();
  }

  /** Its pid. Rejects with a system error's `code`, where there is one. The program dies with the thread, if it asks for that. */
  start(request: SpawnRequest, stance: Stance): Promise<number> {
    return this.#thread.ask({ request, stance });
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
