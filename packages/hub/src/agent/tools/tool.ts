import type { ApprovalClosed, Outcome } from "@countersign/protocol/proposals";
import type * as z from "zod";

/** The part of `config.json` that tools use. */
export interface ToolConfig {
  readonly tools: {
    /** Milliseconds that a command may run. */
    readonly timeout: number;
    readonly maxOutputBytes: number;
  };
}

/** Context of a call (seed 003, plus `signal` and `onProposed`). */
export interface ToolContext {
  readonly sessionKey: string;
  readonly runId: string;
  readonly sendEvent: (event: string, data: unknown) => void;
  readonly config: ToolConfig;
  /** Called for each proposed command with the id that its output can be followed by. */
  readonly onProposed?: (proposalId: string) => void;
  /** Aborting withdraws a pending approval and kills a running command. */
  readonly signal?: AbortSignal;
}

export interface ToolResult {
  readonly output: string;
  readonly exitCode?: number;
  readonly truncated?: boolean;
}

/** The outcome of a call, and how the approval that it waited for was closed. */
export interface CallResult {
  readonly outcome: Outcome;
  readonly closed?: ApprovalClosed | undefined;
}

/** A tool's description for a model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A tool (seed 003). */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  /** False only for tools that are known to have no effects; see ToolRegistry. */
  readonly requiresApproval: boolean;
  toDefinition(): ToolDefinition;
  execute(input: unknown, context: ToolContext): Promise<ToolResult>;
}
