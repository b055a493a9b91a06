const KINDS: readonly (readonly [name: string, form: RegExp])[] = [
  ["id", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g],
  ["hash", /\b[0-9a-f]{64}\b/g],
  ["key", /\bz6Mk[1-9A-HJ-NP-Za-km-z]{40,}/g],
  ["token", /\bcs_[A-Za-z0-9_-]{16,}/g],
  ["bytes", /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{42,}={0,2}(?![A-Za-z0-9+/_=-])/g],
];
/** After 2020 in milliseconds: nothing else here is so large. */
const EARLIEST_MS = Date.UTC(2020, 0, 1);
const DURATIONS = new Set(["durationMs", "waitedMs", "remainingMs"]);

/** Replaces what differs from run to run (ids, hashes, keys, times) by its kind and the order of its first appearance, so that what refers to the same still does. */
export class Normalizer {
  readonly #texts: readonly (readonly [string, string])[];
  readonly #seen = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(texts: readonly (readonly [string, string])[]) {
    this.#texts = texts;
  }

  normalize(value: unknown, key = ""): unknown {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return DURATIONS.has(key) ? "<duration>" : value > EARLIEST_MS ? "<time>" : value;
    if (Array.isArray(value)) return value.map((member) => this.normalize(member));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.#text(name), this.normalize(member, name)]),
    );
  }

  #text(text: string): string {
    let normal = text;
    for (const [from, to] of this.#texts) normal = normal.replaceAll(from, to);
    for (const [kind, form] of KINDS) normal = normal.replace(form, (found) => this.#nameOf(kind, found));
    return normal.replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, "<time>");
  }

  #nameOf(kind: string, found: string): string {
    const known = this.#seen.get(found);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    this.#seen.set(found, name);
    return name;
  }
}
