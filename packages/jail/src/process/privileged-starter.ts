import { AskedThread } from "@countersign/core/worker";
import { forbidCoreDumps, type SpawnRequest } from "@countersign/native";
import type { StartContext } from "./start-context.ts";

export interface StartOrder {
  readonly request: SpawnRequest;
  readonly context: StartContext;
}

/**
 * Starts programs for a root hub from a thread that takes their namespaces, user and control groups first: one program where `sh`,
 * which enters groups, and `nsenter`, which becomes bwrap, are three, and two milliseconds more.
 */
export class PrivilegedStarter {
  readonly #thread = new AskedThread<StartOrder, number>(new URL("./privileged-starter-thread.ts", import.meta.url));

  /** From then on neither the hub nor what it starts leaves its memory behind: a hub's holds secrets. */
  constructor() {
    forbidCoreDumps();
  }

  /** Its pid. Rejects with a system error's `code`, where there is one. The program dies with the thread, if it asks for that. */
  start(request: SpawnRequest, context: StartContext): Promise<number> {
    return this.#thread.ask({ request, context });
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
