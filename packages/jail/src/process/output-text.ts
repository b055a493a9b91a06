import { StringDecoder } from "node:string_decoder";
import { SecretsStream } from "@countersign/core/redaction";

/** Bytes of a stream, as text that may be told: whole characters, invalid bytes replaced, secrets gone. */
export class OutputText {
  readonly #decoder = new StringDecoder("utf8");
  readonly #filter = new SecretsStream();
  /** The first half of a character of two UTF-16 units, where the filter told only that. */
  #half = "";

  push(chunk: Buffer): string {
    return this.#whole(this.#filter.push(this.#decoder.write(chunk)));
  }

  /** The rest. */
  end(): string {
    return (this.#half + this.#filter.end(this.#decoder.end())).toWellFormed();
  }

  #whole(told: string): string {
    const text = this.#half + told;
    const isCut = /[\uD800-\uDBFF]$/.test(text.slice(-1));
    this.#half = isCut ? text.slice(-1) : "";
    return isCut ? text.slice(0, -1) : text;
  }
}
