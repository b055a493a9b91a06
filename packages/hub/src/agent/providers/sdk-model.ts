import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Clock, Limits } from "@countersign/core/base";
import { type Model, ModelError, type ModelPart, type ModelRequest } from "../models/index.ts";
import { toModelError, toRefusal } from "./sdk-error.ts";
import { toCallOptions } from "./sdk-prompt.ts";

const FIRST_WAIT_MS = 1_000;
const ALIVE: ModelPart = { kind: "alive" };

/** A model behind the AI SDK's provider interface. */
export class SdkModel implements Model {
  readonly #model: LanguageModelV4;
  readonly #clock: Clock;
  readonly #limits: Limits;

  constructor(model: LanguageModelV4, { clock, limits }: { readonly clock: Clock; readonly limits: Limits }) {
    this.#model = model;
    this.#clock = clock;
    this.#limits = limits;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const stream = yield* this.#begin(request);
    try {
      for await (const part of stream) {
        const piece = toPart(part);
        if (piece) yield piece;
      }
    } catch (cause) {
      throw toModelError(cause);
    }
  }

  /** Retries a few times where that may help, but never once the answer has begun: its text can't be taken back. */
  async *#begin(request: ModelRequest): AsyncGenerator<ModelPart, ReadableStream<LanguageModelV4StreamPart>> {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#model.doStream(toCallOptions(request))).stream;
      } catch (cause) {
        const { error, mayRetry, afterMs } = toRefusal(cause);
        const waitMs = afterMs ?? FIRST_WAIT_MS * 2 ** (tries - 1);
        const { modelRetries, modelRetryMs } = this.#limits;
        if (!mayRetry || tries > modelRetries || waitMs > modelRetryMs || request.signal.aborted) throw error;
        yield ALIVE;
        await this.#wait(waitMs, request.signal);
      }
    }
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        timer.cancel();
        signal.removeEventListener("abort", over);
        resolve();
      };
      const timer = this.#clock.after(ms, over);
      signal.addEventListener("abort", over);
      if (signal.aborted) over();
    });
  }
}

function toPart(part: LanguageModelV4StreamPart): ModelPart | undefined {
  switch (part.type) {
    case "text-delta":
      return part.delta === "" ? ALIVE : { kind: "text", text: part.delta };
    case "tool-call":
      return { kind: "call", call: { callId: part.toolCallId, tool: part.toolName, input: part.input } };
    case "error":
      throw toModelError(part.error);
    case "finish":
      return toEnd(part);
    default:
      return ALIVE;
  }
}

function toEnd({ finishReason, usage }: Extract<LanguageModelV4StreamPart, { type: "finish" }>): ModelPart {
  const end = { kind: "end", usage: toUsage(usage) } as const;
  switch (finishReason.unified) {
    case "stop":
    case "tool-calls":
      return { ...end, stop: "stop" };
    case "length":
      return { ...end, stop: "length" };
    case "content-filter":
      return { ...end, stop: "filtered" };
    case "error":
      throw new ModelError("MODEL_FAILED", "The model's server reports an error.");
    case "interrupted":
      throw cut();
    case "other":
      // Without a reason from the provider the answer never ended.
      if (finishReason.raw === undefined) throw cut();
      return { ...end, stop: "stop" };
  }
}

function cut(): ModelError {
  return new ModelError("MODEL_CUT", "The model's answer broke off before its end.");
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage) {
  const input = inputTokens.total ?? 0;
  const output = outputTokens.total ?? 0;
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}
