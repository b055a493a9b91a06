import { filterSecrets } from "@countersign/core/redaction";
import type { ChatProblemCode, ChatUsage } from "@countersign/protocol/hub";
import type { ToolDefinition } from "../tools/index.ts";

/** A model's call of a tool. The input is its own text, and may not be JSON. */
export interface ModelCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: string;
}

/** The conversation for a model, oldest first. Each call is followed by its result. */
export type PromptEntry =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly { readonly callId: string; readonly tool: string; readonly input: unknown }[];
    }
  | { readonly role: "tool"; readonly callId: string; readonly tool: string; readonly text: string };

export interface ModelRequest {
  readonly system: string;
  readonly entries: readonly PromptEntry[];
  readonly tools: readonly ToolDefinition[];
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

export type ModelPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: ModelCall }
  /** The model is working on something that isn't shown. */
  | { readonly kind: "alive" }
  | { readonly kind: "end"; readonly stop: "stop" | "length" | "filtered"; readonly usage: ChatUsage };

/** Streams one turn of a conversation. Without an `end` the answer was cut off; a failure is a ModelError. */
export interface Model {
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

const LONGEST_MESSAGE = 500;

/** The codes are the wire's; see `chatProblemCodeSchema`. */
export class ModelError extends Error {
  readonly code: ChatProblemCode;
  constructor(code: ChatProblemCode, message: string, options?: ErrorOptions) {
    // Providers quote requests in their messages, some of them with keys.
    super(filterSecrets(message).slice(0, LONGEST_MESSAGE).toWellFormed(), options);
    this.name = "ModelError";
    this.code = code;
  }
}

export const NO_USAGE: ChatUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export function addUsage(a: ChatUsage, b: ChatUsage): ChatUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
}
