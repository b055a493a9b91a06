import { VALUE_PREFIX } from "./anchors.ts";
import { makeAnchors } from "./scan.ts";

/** More than the tokens that a hub may have, and a few keys. */
const MOST = 2_048;
const LONGEST = 4_096;

/**
 * Secrets that are known by their value: our own tokens and codes, and what is lent to runs. There is one list for the
 * process, because what it knows must not leave it by any way, and everything that speaks passes `filterSecrets`. When the
 * list is full the oldest is forgotten; tokens of our own making are found by their form as well.
 */
class KnownSecrets {
  readonly #values = new Set<string>();
  /** Never forgotten for others. */
  readonly #kept = new Set<string>();
  /** How many values have it. */
  readonly #forms = new Map<string, number>();
  readonly anchors = makeAnchors();

  /** For the few that no rule could find. */
  keep(value: string): void {
    this.#kept.add(value);
    this.add(value);
  }

  /** Too short ones are refused: they'd be found in any text. */
  add(value: string): void {
    if (value.length < VALUE_PREFIX || value.length > LONGEST || this.#values.has(value)) return;
    this.#values.add(value);
    for (const form of formsOf(value)) {
      this.#forms.set(form, (this.#forms.get(form) ?? 0) + 1);
      this.anchors.addValue(form);
    }
    if (this.#values.size <= MOST) return;
    const oldest = [...this.#values].find((known) => !this.#kept.has(known));
    if (oldest !== undefined) this.remove(oldest);
  }

  remove(value: string): void {
    this.#kept.delete(value);
    if (!this.#values.delete(value)) return;
    for (const form of formsOf(value)) {
      const left = (this.#forms.get(form) ?? 0) - 1;
      if (left > 0) this.#forms.set(form, left);
      else {
        this.#forms.delete(form);
        this.anchors.removeValue(form);
      }
    }
  }
}

export const knownSecrets = new KnownSecrets();

/** The value, and what becomes of it in a URL, in JSON, and in base64 at any place of a longer text. */
function formsOf(value: string): string[] {
  const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
  const bytes = Buffer.from(value);
  for (const lead of [0, 1, 2]) {
    // The characters at both ends also hold bits of what stands beside it.
    const encoded = Buffer.concat([Buffer.alloc(lead), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const spill = (lead + bytes.length) % 3 === 0 ? 0 : 1;
    const core = encoded.slice(lead === 0 ? 0 : lead + 1, encoded.length - spill);
    forms.push(core, core.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...new Set(forms)].filter((form) => form.length >= VALUE_PREFIX && /^[\x20-\x7e]{3}/.test(form));
}
