import type { SettingKey } from "@countersign/vocabulary";

type Value = string | number | boolean;

export interface SettingWords {
  readonly key: SettingKey;
  readonly label: string;
  /** From the strictest to the most permissive. */
  readonly choices: readonly { readonly value: Value; readonly words: string }[];
}

/** Each setting of a profile in words. */
export const SETTINGS: readonly SettingWords[] = [
  {
    key: "security",
    label: "What may run",
    choices: [
      { value: "deny", words: "Nothing" },
      { value: "allowlist", words: "Safe commands, and those that an entry allows" },
      { value: "full", words: "Everything except the floor and denied commands" },
    ],
  },
  {
    key: "ask",
    label: "When you are asked",
    choices: [
      { value: "always", words: "About every command" },
      { value: "off", words: "Never: commands that aren’t allowed are denied" },
      { value: "on-miss", words: "About commands that aren’t allowed already" },
    ],
  },
  {
    key: "askFallback",
    label: "If nobody answers",
    choices: [
      { value: "deny", words: "It doesn’t run" },
      { value: "allowlist", words: "It runs if entries cover a part and the rest is safe" },
      { value: "full", words: "It runs, unless it is dangerous" },
    ],
  },
  { key: "timeoutMs", label: "A question expires after", choices: [] },
  {
    key: "safeIsMiss",
    label: "Safe commands",
    choices: [
      { value: true, words: "Ask too, until an entry allows them" },
      { value: false, words: "Run without asking" },
    ],
  },
  {
    key: "sandbox",
    label: "Jail",
    choices: [
      { value: "required", words: "Always: commands that can’t be jailed are denied" },
      { value: "auto", words: "If one can be built" },
      { value: "off", words: "Never" },
    ],
  },
  {
    key: "assurance",
    label: "Who may allow more",
    choices: [
      { value: "device", words: "Only a device that signs" },
      { value: "token", words: "Anyone with an approver’s token" },
    ],
  },
  {
    key: "handBack",
    label: "The agent’s own prompt",
    choices: [
      { value: "never", words: "Never asks instead of you" },
      { value: "no-approver", words: "Asks while nobody is here" },
      { value: "always", words: "Asks instead of you, except about dangerous commands" },
    ],
  },
];

/** `1 min`, `90 s`, `1 h`. */
function waitWords(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  if (seconds % 60 === 0) return `${seconds / 60} min`;
  return seconds === 0 ? `${ms} ms` : `${seconds} s`;
}

export function valueWords({ key, choices }: SettingWords, value: Value): string {
  if (key === "timeoutMs" && typeof value === "number") return waitWords(value);
  return choices.find((choice) => choice.value === value)?.words ?? String(value);
}

/** The names of the layers. */
export const LAYER_WORDS = {
  default: "built in",
  organisation: "organisation",
  user: "profile",
  repository: "repository",
} as const;
