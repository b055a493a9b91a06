import type { Clock, Limits } from "@countersign/core/base";
import { filterSecretsDeep } from "@countersign/core/redaction";
import type { ChatBody, ChatProblemCode, ChatUsage } from "@countersign/protocol/hub";
import { callTool, readCallInput, type ToolAnswer } from "./call-tool.ts";
import type { ChatEventDraft } from "./channel.ts";
import { addUsage, type Model, type ModelCall, NO_USAGE, type PromptEntry } from "./models/index.ts";
import { type Turn, takeTurn } from "./take-turn.ts";
import type { HubTool, ToolContext, ToolDefinition } from "./tools/index.ts";

export interface AgentRun {
  readonly runId: string;
  readonly model: Model;
  readonly system: string;
  /** The conversation so far, the person's message last. Grows during the run. */
  readonly entries: PromptEntry[];
  readonly tools: ReadonlyMap<string, HubTool>;
  readonly definitions: readonly ToolDefinition[];
  readonly maxTurns: number;
  readonly signal: AbortSignal;
  /** The context for one call of a tool. */
  context(callId: string): ToolContext;
  emit(event: ChatEventDraft): void;
  /** Resolves once it is durable. */
  write(body: ChatBody): Promise<void>;
}

/** The last entry of a run. */
export type RunEnd = Extract<ChatBody, { role: "assistant" }> & { readonly usage: ChatUsage };

const STOPPED = "Not run: the person stopped this.";

/**
 * The agent's loop: asks the model and calls its tools until it calls none. What the model said is durable before the
 * next step.
 */
export async function runAgent(run: AgentRun, clock: Clock, limits: Limits): Promise<RunEnd> {
  const { runId, model, system, entries, definitions, signal } = run;
  let usage = NO_USAGE;
  for (let turns = 1; ; turns += 1) {
    const onText = (text: string) => run.emit({ event: "chat.delta", data: { runId, text } });
    const request = { system, entries, tools: definitions, signal };
    const turn = await takeTurn(model, request, { clock, limits, onText });
    usage = addUsage(usage, turn.usage);
    if (turn.calls.length === 0 || turn.stop !== "stop") return endOf(turn, usage);
    if (turns >= run.maxTurns) return endOf({ ...turn, ...overLimit(turns) }, usage);
    await run.write({ ...saidIn(turn), stop: "calls" });
    entries.push(asPrompt(turn));
    for (const call of turn.calls) entries.push(await answerCall(call, run, clock, limits));
    if (signal.aborted) return endOf({ text: "", stop: "aborted" }, usage);
  }
}

/** Drops calls that won't be made, because they would never get a result. */
function endOf({ text, stop, problem }: Pick<Turn, "text" | "stop" | "problem">, usage: ChatUsage): RunEnd {
  return { role: "assistant", text, calls: [], stop, usage, ...(problem ? { problem } : {}) };
}

function overLimit(turns: number): Pick<Turn, "stop"> & { problem: { code: ChatProblemCode; message: string } } {
  const message = `The agent called tools ${turns} times in a row and was stopped. Send another message to let it go on.`;
  return { stop: "failed", problem: { code: "TURN_LIMIT", message } };
}

async function answerCall(call: ModelCall, run: AgentRun, clock: Clock, limits: Limits): Promise<PromptEntry> {
  const { runId, tools, signal } = run;
  const { callId, tool } = call;
  run.emit({ event: "chat.tool_call", data: { runId, ...filterSecretsDeep(shown(call)) } });
  const on = { tools, context: run.context(callId), clock, maxBytes: limits.toolText };
  const answer: ToolAnswer = signal.aborted ? { text: STOPPED } : await callTool(call, on);
  await run.write({ role: "tool", callId, tool, ...answer });
  run.emit({ event: "chat.tool_result", data: { runId, callId, tool, ...answer } });
  return { role: "tool", callId, tool, text: answer.text };
}

function saidIn({ text, calls }: Turn): Omit<Extract<ChatBody, { role: "assistant" }>, "stop"> {
  return { role: "assistant", text, calls: calls.map(shown) };
}

/** The turn as the model wrote it, with secrets: only for the model, and only during the run. */
function asPrompt(turn: Turn): PromptEntry {
  const { text, calls } = saidIn(turn);
  return { role: "assistant", text, calls: calls.map(({ callId, tool, input }) => ({ callId, tool, input })) };
}

/** Wraps input that isn't an object: providers take nothing else back. */
function shown(call: ModelCall): { callId: string; tool: string; input: unknown } {
  const { callId, tool } = call;
  const input = readCallInput(call);
  return {
    callId,
    tool,
    input: input.kind === "json" && isObject(input.value) ? input.value : { malformed: call.input },
  };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
