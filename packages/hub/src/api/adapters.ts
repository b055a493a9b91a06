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

/**
 * Connects this machine's agents to the hub and disconnects them, and records each change with the person who made it.
 * Throws HubError.
 */
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

  /** Recorded after the change, with the files that were written, because it only restricts the agent. */
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
   * Needs the same authorization as a change that widens a policy: afterwards nobody decides or records what the agent
   * runs. The receipt is written first, so that the gap has a recorded beginning.
   */
  async disconnect(
    name: string,
    { settings, problem, ...signature }: AgentDisconnect,
    by: Identity,
  ): Promise<AgentChanged> {
    const agent = knownAgent(name);
    // An agent with settings of its own (`settings`) is changed by the caller.
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

/** Converts a failure to read or write settings, whose message names the file, to CONFLICT. */
async function orConflict(work: Promise<AgentChanged>): Promise<AgentChanged> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause) throw new HubError("CONFLICT", cause.message, { cause });
    throw cause;
  }
}
