import { type Profile, profileSchema } from "@countersign/policy";
import { AGENTS, hookedAgentSchema } from "@countersign/protocol/access";

/** Of the agents that the hub runs itself: every command asks, until an entry matches. */
export const ASSISTANT_PROFILE = "assistant";

/** An agent that waits for a hook has a profile of its own name: people have as long to answer as the agent waits. */
const OF_AGENTS = Object.fromEntries(
  Object.values(AGENTS).map(({ name, deadlineMs }) => [name, { timeoutMs: deadlineMs }]),
);

/** What a profile says where its file says nothing, beside the engine's own defaults. */
const SAYS: Readonly<Record<string, object>> = {
  default: {},
  [ASSISTANT_PROFILE]: { safeIsMiss: true },
  ...OF_AGENTS,
};

/** The profile of who comes by this name, where no configuration names one. */
export function builtInFor(agentName: string): string {
  return hookedAgentSchema.safeParse(agentName).data ?? "default";
}

/** Whether it needs no file. */
export function isBuiltIn(profileId: string): boolean {
  return Object.hasOwn(SAYS, profileId);
}

/** Profiles that need no file. */
export function builtInIds(): string[] {
  return Object.keys(SAYS);
}

export function defaultProfile(profileId: string): Profile {
  return profileSchema.parse(saysOf(profileId));
}

/** A profile's file with what it leaves out. What isn't an object stays as it is, for the reader to refuse. */
export function withDefaults(profileId: string, file: unknown): unknown {
  if (!isObject(file)) return file;
  const { execApproval = {} } = file;
  return isObject(execApproval) ? { ...file, execApproval: { ...saysOf(profileId), ...execApproval } } : file;
}

function saysOf(profileId: string): object {
  return (isBuiltIn(profileId) && SAYS[profileId]) || {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
