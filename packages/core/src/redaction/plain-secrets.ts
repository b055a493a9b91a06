import type { Matcher } from "./anchors.ts";
import { findInKept } from "./find-secrets.ts";
import { knownSecrets } from "./known-secrets.ts";
import { LOOK_BACK, WINDOW } from "./rules/index.ts";
import { scan, swallow } from "./scan.ts";

export const REDACTED = "[REDACTED]";

/** What is told of so many characters: they themselves, or something in their place. */
export interface Told {
  readonly text: string;
  readonly covers: number;
  readonly hidden: boolean;
}

/**
 * Filters text that arrives in chunks, exactly as it would the whole of it. Held back is only what could be the beginning of
 * a secret: until the line ends, or the window is full. A secret has no greatest length: once it has begun, all that
 * belongs to it is dropped as it comes.
 */
export class PlainSecrets {
  readonly #anchors = knownSecrets.anchors;
  /** Text seen already, for looking back, and then what nothing was said about yet. */
  #text = "";
  /** Up to here it was told, and from here on it has to be looked at. */
  #told = 0;
  /** The secret that we are inside of. */
  #inside: Matcher | undefined;
  #waitsForLine = false;

  /** What can be told now. */
  push(chunk: string): Told[] {
    this.#text += chunk;
    if (this.#waitsForLine && this.#text.length - this.#told < WINDOW && !chunk.includes("\n")) return [];
    return this.#tell(false);
  }

  /** The rest. */
  end(chunk: string): Told[] {
    this.#text += chunk;
    return this.#tell(true);
  }

  #tell(ended: boolean): Told[] {
    const piece = { text: this.#text, ended };
    const told: Told[] = [];
    this.#waitsForLine = false;
    for (;;) {
      if (this.#inside) {
        const { end, open } = swallow(piece, this.#told, this.#inside);
        if (end > this.#told) told.push({ text: "", covers: end - this.#told, hidden: true });
        this.#told = end;
        if (open) break;
        this.#inside = undefined;
      }
      const step = scan(piece, this.#told, this.#anchors);
      if (step.at > this.#told) told.push(verbatim(this.#text.slice(this.#told, step.at)));
      this.#told = step.at;
      if (step.kind === "waiting") {
        this.#waitsForLine = step.at < this.#text.length - 2;
        break;
      }
      if (step.pos > step.at) told.push(...tellKept(this.#text.slice(step.at, step.pos)));
      told.push({ text: REDACTED, covers: step.headEnd - step.pos, hidden: true });
      this.#told = step.headEnd;
      this.#inside = step.matcher;
    }
    this.#forget();
    return told;
  }

  #forget(): void {
    const cut = Math.max(this.#told - LOOK_BACK, 0);
    this.#text = this.#text.slice(cut);
    this.#told -= cut;
  }
}

/** What a rule keeps may hold another secret. */
function tellKept(text: string): Told[] {
  const told: Told[] = [];
  let from = 0;
  for (const { pos, end } of findInKept(text)) {
    told.push(verbatim(text.slice(from, pos)), { text: REDACTED, covers: end - pos, hidden: true });
    from = end;
  }
  told.push(verbatim(text.slice(from)));
  return told;
}

function verbatim(text: string): Told {
  return { text, covers: text.length, hidden: false };
}
