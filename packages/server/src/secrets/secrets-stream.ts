import type { Anchors, Matcher } from "./anchors.ts";
import { knownSecrets } from "./known-secrets.ts";
import { LOOK_BACK, WINDOW } from "./rule.ts";
import { scan, swallow } from "./scan.ts";

export const REDACTED = "[REDACTED]";

/**
 * Filters text that arrives in chunks, exactly as `filterSecrets` filters the whole of it. Held back is only what could
 * be the beginning of a secret: until the line ends, or the window is full. A secret has no greatest length: once it
 * has begun, all that belongs to it is dropped as it comes.
 */
export class SecretsStream {
  readonly #anchors: Anchors;
  /** Text seen already, for looking back, and then what nothing was said about yet. */
  #text = "";
  /** Up to here it was told. */
  #told = 0;
  /** From here on it has to be looked at. */
  #from = 0;
  /** The secret that we are inside of. */
  #inside: Matcher | undefined;
  #waitsForLine = false;

  constructor(anchors: Anchors = knownSecrets.anchors) {
    this.#anchors = anchors;
  }

  /** What can be told now. Give it whole characters: decode bytes with a StringDecoder. */
  push(chunk: string): string {
    this.#text += chunk;
    if (this.#waitsForLine && this.#text.length - this.#from < WINDOW && !chunk.includes("\n")) return "";
    return this.#tell(false);
  }

  /** The rest. */
  end(chunk = ""): string {
    this.#text += chunk;
    return this.#tell(true);
  }

  #tell(ended: boolean): string {
    const piece = { text: this.#text, ended };
    let told = "";
    this.#waitsForLine = false;
    for (;;) {
      if (this.#inside) {
        const { end, open } = swallow(piece, this.#from, this.#inside);
        this.#told = this.#from = end;
        if (open) break;
        this.#inside = undefined;
      }
      const step = scan(piece, this.#from, this.#anchors);
      if (step.kind === "waiting") {
        told += this.#text.slice(this.#told, step.at);
        this.#told = this.#from = step.at;
        this.#waitsForLine = step.at < this.#text.length - 2;
        break;
      }
      const kept = new SecretsStream(this.#anchors).end(this.#text.slice(step.at, step.pos));
      told += this.#text.slice(this.#told, step.at) + kept + REDACTED;
      this.#told = this.#from = step.headEnd;
      this.#inside = step.matcher;
    }
    this.#forget();
    return told;
  }

  #forget(): void {
    const cut = Math.max(this.#told - LOOK_BACK, 0);
    this.#text = this.#text.slice(cut);
    this.#told -= cut;
    this.#from -= cut;
  }
}
