import { REDACTED } from "./plain-secrets.ts";
import { SecretsStream } from "./secrets-stream.ts";

export { REDACTED };

/** For output, events, logs and records: whatever looks like a secret is replaced; assignments keep their name. */
export function filterSecrets(text: string): string {
  return new SecretsStream().end(text);
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
