export const REDACTED = "[REDACTED]";

/** Seed 003's patterns, in its order: the longer key form first, so that its tail isn't left behind. */
const TOKENS = [
  /sk-ant-[A-Za-z0-9\-_]{20,}/gi,
  /sk-[A-Za-z0-9]{20,}/gi,
  /Bearer [A-Za-z0-9._-]{20,}/gi,
  /ghp_[A-Za-z0-9]{36}/gi,
];

const NAMED = "ANTHROPIC_API_KEY|OPENAI_API_KEY|PROJ_JARVIS_TOKEN|COUNTERSIGN_TOKEN";
const ASSIGNMENT = new RegExp(`\\b(${NAMED})=[^\\s]+`, "gi");
/** The same without any character that bash gives a meaning: in a command, only literal text may be hidden. */
const LITERAL_ASSIGNMENT = new RegExp(`\\b(${NAMED})=[A-Za-z0-9._+/@:,%^=-]+`, "gi");

/** For output, logs and records: whatever looks like a secret is replaced; assignments keep their name. */
export function filterSecrets(text: string): string {
  return redactTokens(text.replace(ASSIGNMENT, `$1=${REDACTED}`));
}

/**
 * For the command that a person decides about. What runs is the unredacted text, so a redaction must never cover
 * anything that bash would act on: `ANTHROPIC_API_KEY=$(rm -rf ~)` stays readable.
 */
export function redactCommand(command: string): string {
  return redactTokens(command.replace(LITERAL_ASSIGNMENT, `$1=${REDACTED}`));
}

/** Every text inside a JSON-like value. */
export function filterSecretsDeep<T>(value: T): T {
  if (typeof value === "string") return filterSecrets(value) as T;
  if (Array.isArray(value)) return value.map(filterSecretsDeep) as T;
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filterSecretsDeep(inner)])) as T;
  }
  return value;
}

function redactTokens(text: string): string {
  let filtered = text;
  for (const pattern of TOKENS) filtered = filtered.replace(pattern, REDACTED);
  return filtered;
}
