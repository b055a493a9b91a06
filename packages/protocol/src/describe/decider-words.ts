import type { Decider } from "@countersign/vocabulary";

/** What made a decision, for sentences. */
export const DECIDER_WORDS: Record<Decider, string> = {
  policy: "the policy",
  entry: "an entry of the policy",
  grant: "a grant",
  person: "a person",
  timeout: "the deadline",
  floor: "the floor, which no policy lifts",
  "deny-entry": "a deny entry of the policy",
  undelivered: "the deadline",
  shutdown: "the hub, which is shutting down",
  cancelled: "whoever proposed it",
  paused: "the pause",
  "agent-prompt": "the agent's own prompt",
};
