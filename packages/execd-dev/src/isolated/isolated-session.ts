import type { EventStream, Exchange, LocalLimits, Route } from "../http/index.ts";
import { Processes } from "../processes/index.ts";
import { BashSession, type SessionRun } from "../sessions/index.ts";
import type { Isolation } from "./isolator.ts";
import type { SessionPlan } from "./read-request.ts";
import { SessionFiles } from "./session-files.ts";

/** A shell in a jail of its own, and the files that are in it. It ends with all that runs in it, when it is asked to or was idle for too long. */
export class IsolatedSession {
  readonly plan: SessionPlan;
  readonly #isolation: Isolation;
  readonly #processes: Processes;
  readonly #shell: BashSession;
  readonly #files: SessionFiles;
  readonly #onIdle: () => void;
  /** Calls about its files that are under way. */
  readonly #calls = new Map<Exchange, Promise<void>>();
  readonly #createdAt = new Date();
  #lastRunAt = this.#createdAt;
  #running = 0;
  #idleSince = Date.now();
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    plan: SessionPlan,
    isolation: Isolation,
    limits: LocalLimits,
    stateDirectory: string,
    onIdle: () => void,
  ) {
    this.plan = plan;
    this.#isolation = isolation;
    this.#onIdle = onIdle;
    this.#processes = new Processes(isolation.starter, limits.maxIsolatedRuns);
    this.#shell = new BashSession(this.#processes, limits, { cwd: plan.workspace.path, env: isolation.env });
    this.#files = new SessionFiles(plan.workspace.path, isolation, limits, stateDirectory);
    this.#rest();
  }

  get id(): string {
    return this.#shell.id;
  }

  get state() {
    const { idle_timeout_seconds: idle } = this.plan;
    const left = idle === undefined ? null : Math.max(0, idle - (Date.now() - this.#idleSince) / 1_000);
    return {
      ...{ session_id: this.id, status: "active", created_at: this.#createdAt, last_run_at: this.#lastRunAt },
      idle_remaining_seconds: left === null || this.#running === 0 ? left && Math.round(left) : (idle ?? null),
    };
  }

  directory(asked: string): string {
    return this.#files.directory(asked);
  }

  async run(run: SessionRun, stream: EventStream): Promise<void> {
    this.#lastRunAt = new Date();
    await this.#busy(() => this.#shell.run(run, stream));
  }

  /** What answers a call about its files. */
  handler(method: string, path: string): Route[2] {
    const handle = this.#files.handler(method, path);
    return (exchange) => {
      const call = this.#busy(async () => await handle(exchange)).finally(() => this.#calls.delete(exchange));
      this.#calls.set(exchange, call);
      return call;
    };
  }

  /** With what runs in it. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#shell.close();
    await this.#processes.close();
    await this.#endCalls();
    this.#files.close();
    await this.#isolation.close();
  }

  /** Whoever reads a file slowly would else keep what an overlay takes up, while it counts as given back. */
  async #endCalls(): Promise<void> {
    const calls = [...this.#calls];
    for (const [{ request, response }] of calls) {
      request.destroy();
      response.destroy();
    }
    await Promise.allSettled(calls.map(([, call]) => call));
  }

  async #busy(work: () => Promise<void>): Promise<void> {
    this.#running += 1;
    clearTimeout(this.#idle);
    try {
      await work();
    } finally {
      this.#running -= 1;
      this.#rest();
    }
  }

  #rest(): void {
    const { idle_timeout_seconds: idle } = this.plan;
    this.#idleSince = Date.now();
    clearTimeout(this.#idle);
    if (idle === undefined || this.#running > 0 || this.#isClosed) return;
    this.#idle = setTimeout(this.#onIdle, idle * 1_000).unref();
  }
}
