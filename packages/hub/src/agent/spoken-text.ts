import { SecretsStream } from "@countersign/core/redaction";

/** What a model says, as text that may be told: whole characters, secrets gone. */
export class SpokenText {
  readonly #filter = new SecretsStream();
  /** The first half of a character of two UTF-16 units: models are cut into pieces anywhere. */
  #half = "";
  #told = "";

  /** All that was told so far. */
  get told(): string {
    return this.#told;
  }

  /** What can be told now. */
  push(chunk: string): string {
    return this.#tell(this.#filter.push(this.#whole(chunk)));
  }

  /** The rest. */
  end(): string {
    const rest = this.#half;
    this.#half = "";
    return this.#tell(this.#filter.end(rest.toWellFormed()));
  }

  #whole(chunk: string): string {
    const text = this.#half + chunk;
    const isCut = /[\uD800-\uDBFF]$/.test(text.slice(-1));
    this.#half = isCut ? text.slice(-1) : "";
    return (isCut ? text.slice(0, -1) : text).toWellFormed();
  }

  #tell(text: string): string {
    this.#told += text;
    return text;
  }
}
