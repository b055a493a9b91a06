/** Where a policy comes from. `user` is the profile; the others can only tighten it and, if they are trusted, allow more. */
export const POLICY_LAYERS = ["organisation", "user", "repository"] as const;
export type PolicyLayer = (typeof POLICY_LAYERS)[number];

/** What a profile states besides its lists of entries. */
export const SETTING_KEYS = [
  "security",
  "ask",
  "askFallback",
  "timeoutMs",
  "safeIsMiss",
  "sandbox",
  "assurance",
  "handBack",
] as const;
export type SettingKey = (typeof SETTING_KEYS)[number];

/** What an answer allows in addition to the profile: an entry, anything whose effects stay inside, or one proposal once. */
export const GRANT_KINDS = ["entry", "effects", "once"] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

/** Whose settings of an agent: this user's, this project's, or the machine's, which a user can't override. */
export const AGENT_SCOPES = ["user", "project", "managed"] as const;
export type AgentScope = (typeof AGENT_SCOPES)[number];

/** Which addresses the hub may send notifications to, from the narrowest on; each includes those before it. */
export const REACHES = ["public", "private", "this-machine"] as const;
export type Reach = (typeof REACHES)[number];
