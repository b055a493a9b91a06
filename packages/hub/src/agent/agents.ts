import type { Identity } from "@countersign/core/base";
import { ASSISTANT, DEMO_MODEL, TOOL_NAMES } from "@countersign/core/config";
import { HubError } from "@countersign/core/errors";
import type { AgentView } from "@countersign/protocol/hub";
import type { Hub } from "../hub/index.ts";

export interface Agent extends AgentView {
  readonly systemPrompt: string | undefined;
  readonly maxTurns: number | undefined;
}

/** The agents that the hub runs itself: the built-in one, and those of the configuration in force that name a model. */
export class Agents {
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  list(): Agent[] {
    const { agents } = this.#hub.config;
    const named = Object.keys(agents).filter((name) => agents[name]?.model !== undefined);
    return [...new Set([ASSISTANT, ...named])].map((name) => this.get(name));
  }

  get(name: string): Agent {
    const { agents } = this.#hub.config;
    const set = Object.hasOwn(agents, name) ? agents[name] : undefined;
    const model = set?.model ?? (name === ASSISTANT ? DEMO_MODEL : undefined);
    if (model === undefined) throw new HubError("NOT_FOUND", `There's no agent ${JSON.stringify(name)}`);
    const identity = proposerNamed(name);
    return {
      name,
      model,
      profile: this.#hub.profileOf(identity),
      workspace: set?.workspace ?? this.#hub.serveCwd,
      tools: [...(set?.tools ?? TOOL_NAMES)],
      unattended: set?.unattended ?? false,
      systemPrompt: set?.systemPrompt,
      maxTurns: set?.maxTurns,
    };
  }
}

export function viewOf({ systemPrompt: _, maxTurns: __, ...view }: Agent): AgentView {
  return view;
}

/** An identity for looking up profile and workspace, which depend on the name alone. */
function proposerNamed(name: string): Identity {
  return { id: "", role: "agent", name, sameUser: false, unattended: false };
}
