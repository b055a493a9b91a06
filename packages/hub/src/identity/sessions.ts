import type { Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { SessionRecord, Store } from "@countersign/store";

/** A session as it is told: without who owns it. */
export interface SessionView {
  readonly sessionKey: string;
  readonly agentName: string;
  readonly createdAtMs: number;
}

/** Sessions belong to the token that made them; those who may see everything see all of them. */
export class Sessions {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Newest first. */
  async list(by: Identity, limit: number): Promise<SessionView[]> {
    const own = by.role === "agent" ? { ownerId: by.id } : {};
    return (await this.#store.sessions({ ...own, limit })).map(toView);
  }

  async get(by: Identity, id: string): Promise<SessionView> {
    const session = await this.#store.session(id);
    if (!session || (by.role === "agent" && session.ownerId !== by.id))
      throw new HubError("NOT_FOUND", "There's no such session");
    return toView(session);
  }
}

/** Questions about profiles wait under such a session. */
const OURS = "policy:";

export function refuseOurs(session: string | undefined): string | undefined {
  if (!session?.startsWith(OURS)) return session;
  throw new HubError("INVALID_PARAMS", `session: names that begin with ${OURS} are ours`);
}

function toView({ id, agentName, createdAtMs }: SessionRecord): SessionView {
  return { sessionKey: id, agentName, createdAtMs };
}
