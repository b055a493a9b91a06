import type { ApprovalClosed, Outcome } from "@countersign/protocol/proposals";
import type * as z from "zod";

/** The part of the configuration that tools use; `config.json`, as the hub reads it, has it. */
export interface ToolConfig {
  readonly tools: {
    /** Milliseconds that a command may run. */
    readonly timeout: number;
    readonly maxOutputBytes: number;
  };
}

/** Seed 003's, and `signal`. */
export interface ToolContext {
  readonly sessionKey: string;
  readonly runId: string;
  readonly sendEvent: (event: string, data: unknown) => void;
  readonly config: ToolConfig;
  /** Told of each command that is proposed, by the name that its output is followed by. */
  readonly onProposed?: (proposalId: string) => void;
  /** Aborting withdraws what waits for a person and kills what runs. */
  readonly signal?: AbortSignal;
}

export interface ToolResult {
  readonly output: string;
  readonly exitCode?: number;
  readonly truncated?: boolean;
}

/** How a call ended, and how the approval that it waited for did. */
export interface CallResult {
  readonly outcome: Outcome;
  readonly closed?: ApprovalClosed | undefined;
}

/** What a model is told about a tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Seed 003's. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  /** False only for tools whose effects are known to be none; see ToolRegistry. */
  readonly requiresApproval: boolean;
  toDefinition(): ToolDefinition;
  execute(input: unknown, context: ToolContext): Promise<ToolResult>;
}
