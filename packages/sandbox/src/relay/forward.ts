import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "@countersign/protocol/wire";
import type { Log } from "../errors/index.ts";
import { frameForRefused, type RelayFrame } from "./read-frame.ts";
import type { RecorderAnswer, RecorderClient } from "./recorder-client.ts";
import { RelayError } from "./relay-error.ts";
import type { Spool } from "./spool.ts";

/** `recorded`: signed and stored. `spooled`: on this machine's disk, and on its way. */
export type Taken = "recorded" | "spooled";

/** What the recorder says for the moment only: that it has too much to do, or that nobody has enrolled the relay's user yet. */
export const FOR_NOW = new Set([
  ...["TOO_MANY_FRAMES", "TOO_MANY_BYTES", "TOO_MANY_CONNECTIONS", "NOT_RECORDED", "NOT_ENROLLED", "ROLE_MISMATCH"],
]);
const WINDOW = 256;
/** So often may the recorder close the connection on a frame that was sent alone. Then it is the frame, and not the recorder. */
const MOST_CUTS = 3;
/**
 * Of no version, so that it is answered and never recorded. A recorder that has too many connections closes ours before it reads anything: only
 * where this is answered was it the frame after it that it closed on.
 */
const PROBE = Buffer.from(JSON.stringify({ v: "0", ack: true }));

/** The oldest frame, after the recorder closed the connection on it. */
interface Suspect {
  readonly frame: RelayFrame;
  /** While it was alone on the connection. */
  readonly cuts: number;
}

interface ForwarderOptions {
  readonly spool: Spool;
  readonly log: Log;
  readonly count: (result: string) => void;
}

/**
 * Hands frames to the recorder. What it hasn't taken when the sender is told that its frame is safe is on disk, and goes later, before anything
 * newer: where something waits, everything waits behind it.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #recorder: RecorderClient;
  readonly #backoff = new Backoff({ minMs: 100, maxMs: 2_000 });
  readonly #told = new Set<string>();
  #draining: Promise<void> | undefined;
  #isClosed = false;
  #suspect: Suspect | undefined;
  /** What the recorder said last, where it refuses everything for now. */
  refusal: string | undefined;

  constructor(recorder: RecorderClient, options: ForwarderOptions) {
    this.#recorder = recorder;
    this.#options = options;
  }

  /** One answer for each frame, in order, once each is durable or refused. Frames are of one sandbox. */
  async forward(frames: readonly RelayFrame[]): Promise<(Taken | RelayError)[]> {
    const { spool } = this.#options;
    if (spool.count > 0 || this.#recorder.room < frames.length) return await this.#spool(frames);
    const answers = await Promise.all(frames.map((frame) => this.#recorder.send(frame.bytes)));
    // In one go, and in their order: their sender sends nothing newer before it is answered.
    const left = frames.filter((_, index) => judge(answers[index] as RecorderAnswer) === "later");
    const kept = left.length === 0 ? [] : await this.#spool(left);
    return answers.map((answer) =>
      judge(answer) === "later" ? (kept.shift() as Taken | RelayError) : this.#tell(answer),
    );
  }

  /** To be called whenever the recorder can be reached. */
  drain(): void {
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
  }

  async #spool(frames: readonly RelayFrame[]): Promise<(Taken | RelayError)[]> {
    try {
      await this.#options.spool.add(frames);
      this.drain();
      for (const _ of frames) this.#options.count("spooled");
      return frames.map(() => "spooled");
    } catch (cause) {
      if (!(cause instanceof RelayError)) throw cause;
      return frames.map(() => cause);
    }
  }

  #tell(answer: RecorderAnswer): Taken | RelayError {
    const code = codeOf(answer);
    this.#options.count(code ?? "recorded");
    if (code !== undefined) return new RelayError("REFUSED", `The recorder refuses it: ${code}`);
    this.refusal = undefined;
    return "recorded";
  }

  async #drain(): Promise<void> {
    const { spool } = this.#options;
    while (!this.#isClosed && this.#recorder.isUp && spool.count > 0) {
      const most = this.#suspect ? 1 : Math.max(1, Math.min(WINDOW, this.#recorder.room));
      const frames = spool.oldest(most);
      const done = this.#isCondemned ? await this.#settleSuspect() : await this.#send(frames);
      if (done < frames.length && this.#recorder.isUp && !this.#isClosed) await sleep(this.#backoff.nextMs());
    }
  }

  /** How many are dealt with. */
  async #send(frames: readonly RelayFrame[]): Promise<number> {
    if (this.#suspect && (await this.#recorder.send(PROBE)).kind === "unknown") return 0;
    const answers = await Promise.all(frames.map((frame) => this.#recorder.send(frame.bytes)));
    const done = await this.#settle(frames, answers);
    const [frame, answer] = [frames[done], answers[done]];
    const isCut = answer?.kind === "unknown" && answer.why === "cut-off";
    // While something waits nothing else is sent: on the next connection it is alone.
    if (frame && isCut) this.#suspect = { frame, cuts: this.#suspect?.frame === frame ? this.#suspect.cuts + 1 : 0 };
    else if (done > 0) this.#suspect = undefined;
    return done;
  }

  get #isCondemned(): boolean {
    return (this.#suspect?.cuts ?? 0) >= MOST_CUTS;
  }

  /** As one that is refused for good, so that no frame holds up all others for ever; and only once the recorder takes what is said in its place. */
  async #settleSuspect(): Promise<number> {
    const { spool, count } = this.#options;
    if (!this.#suspect || !(await this.#tellDropped(this.#suspect.frame, "CUT_OFF"))) return 0;
    this.#suspect = undefined;
    count("refused-later");
    spool.settle(1);
    return 1;
  }

  /** Up to the first that is to be sent again. Those after it that are on record already are known there by their keys. */
  async #settle(frames: readonly RelayFrame[], answers: readonly RecorderAnswer[]): Promise<number> {
    const { spool, count } = this.#options;
    let done = 0;
    for (const [index, frame] of frames.entries()) {
      const answer = answers[index] as RecorderAnswer;
      const verdict = judge(answer);
      const code = codeOf(answer);
      if (verdict === "later" && code !== undefined) this.#tellRefusal(code);
      if (verdict === "later") break;
      if (code !== undefined && !(await this.#tellDropped(frame, code))) break;
      if (verdict === "recorded") this.refusal = undefined;
      count(verdict === "recorded" ? "delivered" : "refused-later");
      spool.settle(1);
      done += 1;
    }
    return done;
  }

  /** It was acknowledged, and will never be on record: that is told on the sandbox's chain, in its place. */
  async #tellDropped(frame: RelayFrame, code: string): Promise<boolean> {
    const answer = await this.#recorder.send(frameForRefused(frame, code).bytes);
    const verdict = judge(answer);
    if (verdict === "later") return false;
    const fields = { code, sandbox: frame.sandboxId, key: frame.key };
    if (verdict === "recorded")
      this.#options.log.error(
        fields,
        "the recorder refused a frame that was acknowledged: told on its chain as dropped",
      );
    else {
      this.#options.count("lost");
      this.#options.log.error(fields, "the recorder refused a frame that was acknowledged, and also that this is told");
    }
    return true;
  }

  #tellRefusal(code: string): void {
    this.refusal = code;
    if (this.#told.has(code)) return;
    this.#told.add(code);
    this.#options.log.warn({ code }, "the recorder takes no frames for now; they wait on disk");
  }
}

/** `later`: it may be on record or not, and is to be sent again under its key. */
function judge(answer: RecorderAnswer): "recorded" | "later" | "refused" {
  if (answer.kind === "recorded") return "recorded";
  return answer.kind === "unknown" || FOR_NOW.has(answer.code) ? "later" : "refused";
}

function codeOf(answer: RecorderAnswer | undefined): string | undefined {
  return answer?.kind === "refused" ? answer.code : undefined;
}
