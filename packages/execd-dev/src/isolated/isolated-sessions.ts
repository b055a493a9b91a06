import { WishRefused } from "@countersign/sandbox";
import { ExecdError, type LocalLimits } from "../http/index.ts";
import { IsolatedSession } from "./isolated-session.ts";
import type { IsolationWish, Isolator } from "./isolator.ts";
import { invalid, passedThrough, type SessionPlan, unsupported } from "./read-request.ts";

export class IsolatedSessions {
  readonly #isolator: Isolator;
  readonly #limits: LocalLimits;
  readonly #stateDirectory: string;
  /** Hears of a bug that no request waits for. */
  readonly #onBug: (cause: unknown) => void;
  readonly #sessions = new Map<string, IsolatedSession>();
  readonly #closing = new Set<Promise<void>>();
  readonly #opening = new Set<Promise<IsolatedSession>>();
  #isClosed = false;

  constructor(isolator: Isolator, limits: LocalLimits, stateDirectory: string, onBug: (cause: unknown) => void) {
    this.#isolator = isolator;
    this.#limits = limits;
    this.#stateDirectory = stateDirectory;
    this.#onBug = onBug;
  }

  /** `env` is the server's, of which a session may ask for some. */
  async create(plan: SessionPlan, env: Readonly<Record<string, string>>): Promise<IsolatedSession> {
    const { maxIsolatedSessions: most } = this.#limits;
    // One that ends still has its jail.
    if (this.#sessions.size + this.#opening.size + this.#closing.size >= most)
      throw new ExecdError(429, "TOO_MANY_SESSIONS", `there are ${most} isolated sessions already; delete one`);
    const opening = this.#open(plan, env).finally(() => this.#opening.delete(opening));
    this.#opening.add(opening);
    return await opening;
  }

  async #open(plan: SessionPlan, env: Readonly<Record<string, string>>): Promise<IsolatedSession> {
    const isolation = await this.#isolator.open(wishOf(plan)).catch(asAnswer);
    try {
      // The server ended meanwhile.
      if (this.#isClosed) throw unsupported("it is ending");
      const all = { ...isolation, env: { ...passedThrough(plan, env), ...isolation.env } };
      const made = { ...plan, workspace: { ...plan.workspace, path: isolation.workspace } };
      const onIdle = () => void this.delete(session.id).catch(this.#onBug);
      const session: IsolatedSession = new IsolatedSession(made, all, this.#limits, this.#stateDirectory, onIdle);
      this.#sessions.set(session.id, session);
      return session;
    } catch (cause) {
      await isolation.close();
      throw cause;
    }
  }

  get(id: string): IsolatedSession {
    const session = this.#sessions.get(id);
    if (!session) throw notThere(id);
    return session;
  }

  list(): IsolatedSession[] {
    return [...this.#sessions.values()];
  }

  /** Resolves when nothing of it runs any more. */
  async delete(id: string): Promise<void> {
    const session = this.get(id);
    this.#sessions.delete(id);
    const closing = session.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    await closing;
  }

  /** Resolves when all have ended, also where one can't be ended as it should. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // What is being made isn't left behind.
    await Promise.allSettled(this.#opening);
    const ends = await Promise.allSettled([
      ...this.#closing,
      ...[...this.#sessions.keys()].map((id) => this.delete(id)),
    ]);
    // The others, and who waits for all of them, don't depend on one.
    for (const end of ends) if (end.status === "rejected") this.#onBug(end.reason);
  }
}

function wishOf(plan: SessionPlan): IsolationWish {
  const { workspace, extra_writable = [], binds = [], share_net: network, uid, gid } = plan;
  return {
    ...{ workspace, network, uid, gid },
    binds: [
      ...extra_writable.map((source) => ({ source, readOnly: false })),
      ...binds.map(({ readonly, ...bind }) => ({ ...bind, readOnly: readonly })),
    ],
  };
}

function asAnswer(cause: Error): never {
  if (!(cause instanceof WishRefused)) throw unsupported(cause.message);
  switch (cause.why) {
    case "outside":
      throw new ExecdError(403, "OUTSIDE_WORKSPACE", cause.message, { cause });
    case "full":
      throw new ExecdError(429, "TOO_MANY_SESSIONS", cause.message, { cause });
    case "invalid":
      throw invalid(cause.message);
  }
}

export function notThere(id: string): ExecdError {
  return new ExecdError(404, "CONTEXT_NOT_FOUND", `isolated session ${id} not found`);
}
