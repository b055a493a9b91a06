import type { Clock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { Outcome, OutcomeWithoutOutput } from "@countersign/protocol/proposals";
import { JsonError, parseJson } from "@countersign/receipts";
import { withoutOutput } from "../runs/index.ts";
import type { ModelCall } from "./models/index.ts";
import { outcomeText } from "./outcome-text.ts";
import { type HubTool, type ToolContext, ToolError } from "./tools/index.ts";

export interface ToolAnswer {
  /** Answer in the words that the model reads. */
  readonly text: string;
  readonly outcome?: OutcomeWithoutOutput;
}

interface CallOptions {
  readonly tools: ReadonlyMap<string, HubTool>;
  readonly context: ToolContext;
  readonly clock: Clock;
  /** Limit of `text`. */
  readonly maxBytes: number;
}

/** Input of a model's call: JSON, or the reason why it isn't. */
export type CallInput =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "malformed"; readonly why: string };

/** No tool needs deeper input, and code that walks through every value would exhaust the stack. */
const DEEPEST_INPUT = 32;
const TOO_DEEP: CallInput = { kind: "malformed", why: "The input is nested too deeply" };

export function readCallInput({ input }: ModelCall): CallInput {
  try {
    // Some models send nothing for a tool without parameters.
    const value: unknown = input.trim() === "" ? {} : parseJson(input);
    return isDeeper(value, DEEPEST_INPUT) ? TOO_DEEP : { kind: "json", value };
  } catch (cause) {
    const { cause: fault } = cause as Error;
    if (fault instanceof JsonError && fault.code === "TOO_DEEP") return TOO_DEEP;
    return { kind: "malformed", why: "The input isn't valid JSON" };
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/**
 * Looks up the tool, validates its input and runs it through the pipeline. Returns the model's mistakes as text for it,
 * and throws if the hub fails (such as when the store can't be written).
 */
export async function callTool(call: ModelCall, { tools, context, clock, maxBytes }: CallOptions): Promise<ToolAnswer> {
  const tool = tools.get(call.tool);
  if (!tool) {
    const names = [...tools.keys()].join(", ") || "none";
    return { text: `There's no tool of that name. You have: ${names}. Nothing was run.` };
  }
  const input = readCallInput(call);
  if (input.kind === "malformed") return { text: `${input.why}. Nothing was run; send it again, whole.` };
  const sinceMs = clock.monotonicMs();
  let outcome: Outcome;
  try {
    outcome = await tool.run(input.value, context);
  } catch (cause) {
    if (cause instanceof ToolError) return { text: `${cause.code}: ${cause.message}. Nothing was run.` };
    if (cause instanceof HubError && cause.code !== "INTERNAL") {
      return { text: `${cause.code}: ${cause.message}. Nothing was run.` };
    }
    throw cause;
  }
  const waitedMs = clock.monotonicMs() - sinceMs;
  return { text: outcomeText(outcome, { waitedMs, maxBytes }), outcome: withoutOutput(outcome) };
}
