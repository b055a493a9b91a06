import type { Identity } from "@countersign/core/base";
import type { HookTool } from "./hook-tool.ts";

/** Who asks in the way of hooks: OpenCode through its plugin, agents of an editor through `countersign acp`. */
export const HOOK_AGENTS = ["claude-code", "codex", "gemini", "cursor", "opencode", "acp"] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];

/** A call of an agent's hook that waits for an answer. */
export interface HookQuestion {
  readonly agent: HookAgent;
  readonly event: Readonly<Record<string, unknown>>;
  readonly identity: Identity;
  /** How long the agent's hook waits for an answer. */
  readonly deadlineMs: number;
  /** Aborted when the hook has gone: nobody waits any more, and an answer must have no effect. */
  readonly gone: AbortSignal;
}

/** What an agent's hook tells, whichever agent it is. */
export interface HookCall {
  /** As the agent calls it; its answer has to name it. */
  readonly eventName: string;
  /** `before`: it waits for us. `permission`: it would ask its user now. `after`: it is over. */
  readonly moment: "before" | "permission" | "after";
  readonly sessionId: string;
  /** Where the agent stands. */
  readonly cwd: string | undefined;
  /** The agent's own name for this one use of a tool, where it has one. */
  readonly callId: string | undefined;
  readonly toolName: string;
  /** As it came: an answer that rewrites it keeps the rest. */
  readonly toolInput: Readonly<Record<string, unknown>>;
  readonly tool: HookTool;
  /** In this mode the agent asks its user nothing: told to ask, it would go on. */
  readonly asksNobody?: boolean | undefined;
  /** Of what is over: how it ended. Undefined where that isn't known, as of what goes on in the background. */
  readonly ended?: ReportedEnd | undefined;
}

/** An outcome as an executor may report it. */
export interface ReportedEnd {
  readonly kind: "exited" | "aborted" | "timed-out" | "not-started";
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly reason?: string;
}

/** What we say to it, before it is put in the agent's words. */
export type Verdict =
  /** With another command in place of the shell's, where we run it. */
  | { readonly kind: "allow"; readonly command?: string }
  | { readonly kind: "deny"; readonly words: string }
  /** Its own prompt is to ask. */
  | { readonly kind: "ask"; readonly words: string }
  /** It is about something that is over, or isn't ours to decide. */
  | { readonly kind: "nothing" };

/** What the hook's process prints, and how it ends. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr?: string;
  readonly exitCode: number;
}

/** An agent's way to tell and to be told. */
export interface Dialect {
  /** Throws HubError where it isn't one of this agent's events, or lacks what it must have. */
  read(event: Readonly<Record<string, unknown>>): HookCall;
  write(call: HookCall, verdict: Verdict): HookAnswer;
  /** Whether the agent can be told to ask by itself, at this moment. */
  asks(call: HookCall): boolean;
  /** Whether it takes another command at this moment. */
  rewrites(call: HookCall): boolean;
}

export const NO_ANSWER: HookAnswer = { stdout: "", exitCode: 0 };

export function jsonAnswer(answer: object): HookAnswer {
  return { stdout: JSON.stringify(answer), exitCode: 0 };
}
