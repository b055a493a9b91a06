import type { HeldBytes } from "./http/index.ts";
import type { Call, Denial, Gate } from "./record/index.ts";

/** So much of a call that waits is held. What is longer can't be shown to the gate, and is refused. */
const MOST_HELD = 8 * 1024 * 1024;
/** The gate and the looks at files may go on while an agent still sends: it is read no further than this. */
const PAUSE_AT = 1024 * 1024;

interface Ways {
  readonly call: Call;
  readonly gate: Gate | null;
  readonly held: HeldBytes;
  readonly stallMs: number;
  readonly pass: (bytes: Buffer) => void;
  readonly deny: (denial: Omit<Denial, "kind">) => void;
  readonly wait: (isWaiting: boolean) => void;
}

/**
 * Where a call may wait before it passes. Most don't. A call that the gate holds waits as a whole. An upload passes but for its end, without which
 * execd writes nothing: that end waits until the proxy has looked which of its paths are there, and for the gate.
 */
export class RequestGate {
  hasPassed = false;
  readonly #ways: Ways;
  readonly #isGated: boolean;
  readonly #abort = new AbortController();
  #state: "passing" | "holding" | "asking" | "over" = "passing";
  #held: Buffer[] = [];
  #heldBytes = 0;
  #stall: NodeJS.Timeout | undefined;

  constructor(ways: Ways) {
    this.#ways = ways;
    this.#isGated = ways.gate?.holds(ways.call.route) ?? false;
  }

  get isHolding(): boolean {
    return this.#state === "holding" || this.#state === "asking";
  }

  head(bytes: Buffer): void {
    const { call } = this.#ways;
    if (this.#isGated && !call.form) this.#state = "holding";
    this.#take(bytes);
    // A file that is the body itself: nothing of it passes before the look.
    if (!call.form && call.knownFiles.isLooking && !this.isHolding) this.#state = "asking";
    if (this.#state === "asking") void this.#ask();
  }

  body(bytes: Buffer, isLast: boolean): void {
    const { form } = this.#ways.call;
    if (this.#state === "passing" && form && (form.isComplete || isLast) && this.#hasQuestions()) {
      // What follows the last delimiter can still make something else of it, so that the gate is asked about all of it.
      this.#state = this.#isGated && !isLast ? "holding" : "asking";
      this.#take(bytes);
      if (this.#state === "asking") void this.#ask();
    } else this.#take(bytes);
  }

  /** The whole request is there. */
  whole(): void {
    if (this.#state !== "holding") return;
    clearTimeout(this.#stall);
    this.#state = "asking";
    void this.#ask();
  }

  /** Nobody waits any more. */
  abandon(): void {
    this.#state = "over";
    this.#release();
    this.#abort.abort();
  }

  #hasQuestions(): boolean {
    return this.#isGated || this.#ways.call.knownFiles.isLooking;
  }

  #take(bytes: Buffer): void {
    if (!this.isHolding) return this.#pass(bytes);
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    const isWithin = this.#ways.held.take(bytes.length);
    if (this.#state === "holding") this.#watchStall();
    // What nobody has to decide about is only read no further.
    if (this.#state === "asking" && (this.#heldBytes > PAUSE_AT || !isWithin)) this.#ways.wait(true);
    if (this.#isGated && !isWithin) {
      const message = "all calls that wait for a permit hold as many bytes as they may: send it again later";
      return this.#deny({ status: 503, code: "GATE_BUSY", message });
    }
    if (this.#state === "holding" && this.#heldBytes > MOST_HELD) {
      this.#deny({
        status: 413,
        code: "REQUEST_TOO_LONG",
        message: `a call that needs a permit has at most ${MOST_HELD} bytes`,
      });
    }
  }

  /** Half a call keeps what it holds from others: its next byte has to come. */
  #watchStall(): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => {
      if (this.#state !== "holding") return;
      this.#deny({ status: 408, code: "GATE_STALLED", message: "the rest of the call didn't come in time" });
    }, this.#ways.stallMs);
  }

  #release(): Buffer[] {
    clearTimeout(this.#stall);
    const held = this.#held;
    this.#ways.held.give(this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }

  async #ask(): Promise<void> {
    const { call, gate } = this.#ways;
    await call.knownFiles.settled();
    if (this.#state !== "asking") return;
    if (gate && this.#isGated) {
      // What is permitted is bound to the hashes of what was read.
      await call.requestEnd();
      if (this.#state !== "asking") return;
      const { route, headers, correlationId } = call;
      const proposed = { route, headers, correlationId, decoded: call.decoded(), signal: this.#abort.signal };
      const answer = await gate.before(proposed).catch((error: unknown) => broken(error));
      if (this.#state !== "asking") return;
      if (answer.kind === "denial") return this.#deny(answer);
      call.onEnd = answer.ended;
    }
    this.#state = "over";
    for (const bytes of this.#release()) this.#pass(bytes);
    this.#ways.wait(false);
  }

  #pass(bytes: Buffer): void {
    if (!this.hasPassed) this.#ways.call.passOn();
    this.hasPassed = true;
    this.#ways.pass(bytes);
  }

  #deny({ status, code, message }: Omit<Denial, "kind">): void {
    this.#state = "over";
    this.#release();
    this.#ways.wait(false);
    this.#ways.deny({ status, code, message });
  }
}

/** Fail closed. */
function broken(error: unknown): Denial {
  return {
    kind: "denial",
    status: 503,
    code: "GATE_FAILED",
    message: `nobody could be asked: ${error instanceof Error ? error.message : String(error)}`,
  };
}
