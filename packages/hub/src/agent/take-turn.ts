import type { Clock, Limits } from "@countersign/core/base";
import { SecretsStream } from "@countersign/core/redaction";
import type { ChatProblemCode, ChatUsage } from "@countersign/protocol/hub";
import { uuidv7 } from "uuidv7";
import { type Model, type ModelCall, ModelError, type ModelPart, type ModelRequest, NO_USAGE } from "./models/index.ts";

/** A model's answer in one turn, complete or not. */
export interface Turn {
  /** Without secrets. */
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly usage: ChatUsage;
  readonly stop: "stop" | "length" | "filtered" | "aborted" | "failed";
  readonly problem?: { readonly code: ChatProblemCode; readonly message: string };
}

interface TurnOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  /** Called with text that holds no secret, as soon as that is certain. */
  readonly onText: (text: string) => void;
}

type End = Extract<ModelPart, { kind: "end" }>;

/** Asks the model once. Faults of the model or its provider end the turn, and are never thrown. */
export async function takeTurn(
  model: Model,
  request: ModelRequest,
  { clock, limits, onText }: TurnOptions,
): Promise<Turn> {
  const spoken = new SpokenText();
  const calls: ModelCall[] = [];
  let said = 0;
  let end: End | undefined;
  const emit = (text: string) => {
    for (const piece of piecesOf(text)) onText(piece);
  };
  const finish = (how: Pick<Turn, "stop" | "problem">): Turn => {
    emit(spoken.end());
    return { text: spoken.text, calls, usage: end?.usage ?? NO_USAGE, ...how };
  };
  try {
    for await (const part of watched(model, request, clock, limits)) {
      if (part.kind === "text") {
        said += part.text.length;
        if (said > limits.modelText) throw tooMuch("text", "modelText");
        emit(spoken.push(part.text));
      } else if (part.kind === "call") {
        calls.push(checked(part.call, calls, limits));
      } else if (part.kind === "end") {
        end = part;
      }
    }
  } catch (cause) {
    if (request.signal.aborted) return finish({ stop: "aborted" });
    if (!(cause instanceof ModelError)) throw cause;
    return finish({ stop: "failed", problem: { code: cause.code, message: cause.message } });
  }
  if (request.signal.aborted) return finish({ stop: "aborted" });
  if (end) return finish({ stop: end.stop });
  const problem = { code: "MODEL_CUT", message: "The model's answer broke off before its end." } as const;
  return finish({ stop: "failed", problem });
}

/** Small enough for a frame even if every character is escaped. */
const PIECE = 32_768;

function piecesOf(text: string): string[] {
  if (text.length <= PIECE) return text === "" ? [] : [text];
  // Doesn't cut a surrogate pair.
  const cut = /[\uD800-\uDBFF]$/.test(text.slice(PIECE - 1, PIECE)) ? PIECE - 1 : PIECE;
  return [text.slice(0, cut), ...piecesOf(text.slice(cut))];
}

function checked(call: ModelCall, before: readonly ModelCall[], limits: Limits): ModelCall {
  const sizes = [...before, call].map(({ callId, tool, input }) => callId.length + tool.length + input.length);
  if (before.length >= limits.modelCalls) throw tooMuch("calls of tools in one turn", "modelCalls");
  if (sizes.reduce((sum, size) => sum + size, 0) > limits.modelCallInput) {
    throw tooMuch("input for tools", "modelCallInput");
  }
  // Replaces an empty or repeated id: results are matched by it.
  const isTaken = call.callId === "" || before.some(({ callId }) => callId === call.callId);
  return isTaken ? { ...call, callId: uuidv7() } : call;
}

function tooMuch(what: string, limit: keyof Limits): ModelError {
  return new ModelError("LIMIT", `The model gave too much ${what} (limit: ${limit})`);
}

/** Yields parts as they come. Ends at once on abort, and throws if none comes for too long. */
async function* watched(
  model: Model,
  request: ModelRequest,
  clock: Clock,
  limits: Limits,
): AsyncGenerator<ModelPart, void, undefined> {
  const over = new AbortController();
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  stopped.catch(() => undefined);
  const onAbort = () => stop(new ModelError("MODEL_CUT", "Stopped"));
  request.signal.addEventListener("abort", onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  const signal = AbortSignal.any([request.signal, over.signal]);
  const parts = model.stream({ ...request, signal })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const late = clock.after(limits.modelIdleMs, () => {
        const seconds = Math.round(limits.modelIdleMs / 1_000);
        stop(new ModelError("MODEL_TIMED_OUT", `The model said nothing for ${seconds} s.`));
      });
      const next = parts.next();
      // It may fail after this has ended.
      next.catch(() => undefined);
      const { done, value } = await Promise.race([next, stopped]).finally(() => late.cancel());
      if (done) return;
      yield value;
    }
  } finally {
    request.signal.removeEventListener("abort", onAbort);
    over.abort();
    // Not awaited: a stream that hangs would block this.
    parts.return?.().catch(() => undefined);
  }
}

/** Turns chunks of a model's text into whole characters without secrets. */
class SpokenText {
  readonly #filter = new SecretsStream();
  /** First half of a surrogate pair: providers cut the text anywhere. */
  #half = "";
  #text = "";

  /** All text so far. */
  get text(): string {
    return this.#text;
  }

  /** Returns the text that is certain to hold no secret. */
  push(chunk: string): string {
    return this.#add(this.#filter.push(this.#whole(chunk)));
  }

  /** Returns the rest. */
  end(): string {
    const rest = this.#half;
    this.#half = "";
    return this.#add(this.#filter.end(rest.toWellFormed()));
  }

  #whole(chunk: string): string {
    const text = this.#half + chunk;
    const isCut = /[\uD800-\uDBFF]$/.test(text.slice(-1));
    this.#half = isCut ? text.slice(-1) : "";
    return (isCut ? text.slice(0, -1) : text).toWellFormed();
  }

  #add(text: string): string {
    this.#text += text;
    return text;
  }
}
