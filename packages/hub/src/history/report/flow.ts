import type { ReportFlow } from "@countersign/protocol/records";
import { isWithin, type Span } from "./span.ts";

/** What comes and goes: in every span, `before + entered = left + after`. */
export class Flow {
  readonly #span: Span;
  #before = 0;
  #entered = 0;
  #left = 0;
  #after = 0;

  constructor(span: Span) {
    this.#span = span;
  }

  /** One that has come and gone; infinity where it hasn't gone. It can't have gone before it came. */
  pass(enteredMs: number, leftMs: number): void {
    const { fromMs, toMs } = this.#span;
    if (enteredMs < fromMs && leftMs >= fromMs) this.#before += 1;
    if (isWithin(this.#span, enteredMs)) this.#entered += 1;
    if (isWithin(this.#span, leftMs)) this.#left += 1;
    if (enteredMs < toMs && leftMs >= toMs) this.#after += 1;
  }

  get counts(): ReportFlow {
    return { before: this.#before, entered: this.#entered, left: this.#left, after: this.#after };
  }
}
