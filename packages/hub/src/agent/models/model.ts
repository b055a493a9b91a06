import { filterSecrets } from "@countersign/core/redaction";
import type { ChatProblemCode, ChatUsage } from "@countersign/protocol/hub";
import type { ToolDefinition } from "../tools/index.ts";

/** A tool that the model wants called. The input is its own text, which may not even be JSON. */
export interface ModelCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: string;
}

/** What a model is given of the conversation, oldest first. Each call is followed by its result. */
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
  /** Nobody wants the answer any more. */
  readonly signal: AbortSignal;
}

export type ModelPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: ModelCall }
  /** It works on something that isn't shown. */
  | { readonly kind: "alive" }
  | { readonly kind: "end"; readonly stop: "stop" | "length" | "filtered"; readonly usage: ChatUsage };

/** One turn of a conversation, as it comes. Without an `end` it was cut off; a failure is a ModelError. */
export interface Model {
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

const LONGEST_MESSAGE = 500;

/** The codes are the wire's; see `chatProblemCodeSchema`. */
export class ModelError extends Error {
  readonly code: ChatProblemCode;
  constructor(code: ChatProblemCode, message: string, options?: ErrorOptions) {
    // Providers quote what they were sent, and some of them keys.
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
