import { MAX_REPORTED, type ReportDown } from "@countersign/protocol/records";
import type { Noted } from "./noted.ts";
import type { Span } from "./span.ts";

/** When there was no hub: after it said goodbye, or from its last word on until it came up without having said so. */
export class TallyHub {
  readonly #span: Span;
  readonly downs: ReportDown[] = [];
  /** How many times more. */
  leftOut = 0;
  /** It came up after the span, and only so is known that it had crashed within. */
  readonly cameLater: number[] = [];
  #isUp = false;
  #downSince: Noted | undefined;
  #lastWord: Noted | undefined;
  #lastChange: Noted | undefined;

  constructor(span: Span) {
    this.#span = span;
  }

  /** Without these it couldn't be told how things stood: its last word, and when it last came or went. */
  get needed(): number[] {
    return [this.#lastWord, this.#downSince ?? this.#lastChange].flatMap((noted) => noted?.seq ?? []);
  }

  note(noted: Noted): void {
    const { entry } = noted;
    // A recorder in another process goes on with checkpoints when the hub is gone.
    if (entry === null || entry === "checkpoint") return;
    if (entry === "hub-up") this.#up(noted);
    if (entry === "hub-down") this.#downSince ??= noted;
    if (entry === "hub-up" || entry === "hub-down") {
      this.#isUp = entry === "hub-up";
      this.#lastChange = noted;
    }
    this.#lastWord = noted;
  }

  #up(noted: Noted): void {
    if (this.#downSince !== undefined) this.#list(this.#downSince, noted, "stopped");
    else if (this.#isUp && this.#lastWord !== undefined) this.#list(this.#lastWord, noted, "crashed");
    this.#downSince = undefined;
  }

  /** The last, when everything was noted. */
  end(): void {
    if (this.#downSince !== undefined) this.#list(this.#downSince, undefined, "stopped");
  }

  #list(since: Noted, until: Noted | undefined, how: ReportDown["how"]): void {
    const { fromMs, toMs } = this.#span;
    const untilMs = until?.atMs ?? Number.POSITIVE_INFINITY;
    if (since.atMs >= toMs || untilMs < fromMs || untilMs <= since.atMs) return;
    if (how === "crashed" && until !== undefined && untilMs >= toMs) this.cameLater.push(until.seq);
    if (this.downs.length >= MAX_REPORTED) this.leftOut += 1;
    else this.downs.push({ from: since.at, to: untilMs >= toMs ? null : (until?.at ?? null), how });
  }
}
