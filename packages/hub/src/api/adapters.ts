import type { Clock, Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecrets } from "@countersign/core/redaction";
import {
  type AgentChanged,
  type AgentDisconnect,
  type HookedAgent,
  hookedAgentSchema,
} from "@countersign/protocol/access";
import type { Json } from "@countersign/receipts";
import type { Store, Write } from "@countersign/store";
import type { Hub } from "../hub/index.ts";
import { assured, nonceWrites, refuseReplay } from "../identity/index.ts";
import type { LocalAgents } from "./local-agents.ts";

interface AdaptersOptions {
  readonly here: LocalAgents | undefined;
  readonly hub: Hub;
  readonly store: Store;
  readonly clock: Clock;
}

type Entry = "adapter-installed" | "adapter-removed";

/** Has agents of this machine ask us, or no longer: each on record with who wanted it. Throws HubError. */
export class Adapters {
  readonly #here: LocalAgents | undefined;
  readonly #hub: Hub;
  readonly #store: Store;
  readonly #clock: Clock;

  constructor({ here, hub, store, clock }: AdaptersOptions) {
    this.#here = here;
    this.#hub = hub;
    this.#store = store;
    this.#clock = clock;
  }

  get here(): LocalAgents | undefined {
    return this.#here;
  }

  /** It is held to more from then on: on record with what was written, once that stands. */
  async connect(name: string, by: Identity): Promise<AgentChanged> {
    const agent = knownAgent(name);
    const here = this.#machine();
    const changed = await orConflict(here.connect(agent));
    if (!changed.changed) return changed;
    const files = changed.files.map(filterSecrets);
    await this.#record("adapter-installed", { agent, files, person: by.name });
    return this.#logged(changed, by);
  }

  /**
   * What it runs afterwards nobody decides or records. So it takes what widens a policy takes, and the receipt comes first: the gap that
   * follows has a beginning.
   */
  async disconnect(
    name: string,
    { settings, problem, ...signature }: AgentDisconnect,
    by: Identity,
  ): Promise<AgentChanged> {
    const agent = knownAgent(name);
    // With settings of their own, whoever asked changes them.
    const here = settings === undefined ? this.#machine() : undefined;
    if (this.#hub.isPaused) {
      throw new HubError("UNAUTHORIZED", "Countersign is paused: resume before an agent no longer asks.");
    }
    const wish = { ...(settings === undefined ? {} : { settings }), ...(problem === undefined ? {} : { problem }) };
    const change = { approvalId: `agent:${agent}`, content: { agent, wish: "disconnect", ...wish } };
    const assurance = await this.#hub.admission.vouch(change, signature, by);
    const said = Object.fromEntries(Object.entries(wish).map(([key, text]) => [key, filterSecrets(text)]));
    const body = { agent, ...said, person: by.name, ...assured(assurance) };
    await this.#record("adapter-removed", body, nonceWrites(assurance, this.#clock.wallMs()));
    if (!here) return { agent, changed: false, settings: settings ?? "", files: [], backups: [], notes: [] };
    try {
      return this.#logged(await orConflict(here.disconnect(agent)), by);
    } catch (cause) {
      const why = filterSecrets(cause instanceof HubError ? cause.message : "It could not be changed");
      await this.#record("adapter-removed", { ...body, problem: why });
      throw cause;
    }
  }

  #machine(): LocalAgents {
    if (!this.#here)
      throw new HubError("CONFLICT", "This hub was started without the command line, which knows the agents");
    return this.#here;
  }

  async #record(type: Entry, body: Readonly<Record<string, Json>>, more: readonly Write[] = []): Promise<void> {
    const draft = { type, sessionId: null, proposalKey: null, atMs: this.#clock.wallMs(), body };
    refuseReplay(await this.#store.commit([{ op: "append", draft }, ...more]));
  }

  #logged(changed: AgentChanged, by: Identity): AgentChanged {
    const { agent, files } = changed;
    this.#hub.log.info({ agent, by: by.name, files }, "an agent's settings were changed");
    return changed;
  }
}

function knownAgent(name: string): HookedAgent {
  const agent = hookedAgentSchema.safeParse(name);
  if (!agent.success) throw new HubError("NOT_FOUND", "There's no agent of that name that a hub can connect");
  return agent.data;
}

/** Settings that can't be read or written: its sentence says which, and that is no fault of ours. */
async function orConflict(work: Promise<AgentChanged>): Promise<AgentChanged> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause) throw new HubError("CONFLICT", cause.message, { cause });
    throw cause;
  }
}
