import { isDeepStrictEqual } from "node:util";
import { REDACTED } from "./plain-secrets.ts";
import { SecretsStream } from "./secrets-stream.ts";

export { REDACTED };

/** For output, events, logs and records: whatever looks like a secret is replaced; assignments keep their name. */
export function filterSecrets(text: string): string {
  return new SecretsStream().end(text);
}

/** Why nothing lasting is made of a command. */
export const NOT_KEPT = "the command holds a secret, which isn't kept";

/** Whether there is anything to hide in a JSON-like value. */
export function holdsSecret(value: unknown): boolean {
  return !isDeepStrictEqual(filterSecretsDeep(value), value);
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
