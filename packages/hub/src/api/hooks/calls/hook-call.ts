import type { Identity } from "@countersign/core/base";
import type { HookTool } from "./hook-tool.ts";

/** Agents that ask by hooks: OpenCode through its plugin, and agents of an editor through `countersign acp`. */
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

/** A hook's event, in the same form for all agents. */
export interface HookCall {
  /** The agent's name of the event, which the answer must repeat. */
  readonly eventName: string;
  /** `before`: the tool waits. `permission`: the agent is about to ask its user. `after`: the tool has ended. */
  readonly moment: "before" | "permission" | "after";
  readonly sessionId: string;
  /** The agent's working directory. */
  readonly cwd: string | undefined;
  /** The agent's id of this use of a tool, if it gives one. */
  readonly callId: string | undefined;
  readonly toolName: string;
  /** The input as it came, because a rewritten one keeps all other fields. */
  readonly toolInput: Readonly<Record<string, unknown>>;
  readonly tool: HookTool;
  /** In this mode the agent doesn't ask its user: told to ask, it would go on. */
  readonly asksNobody?: boolean | undefined;
  /** How a tool ended. Undefined if that isn't known, such as for a command in the background. */
  readonly ended?: ReportedEnd | undefined;
}

/** An end in the form in which executors report it. */
export interface ReportedEnd {
  readonly kind: "exited" | "aborted" | "timed-out" | "not-started";
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly reason?: string;
}

/** The hub's answer, before it is written in the agent's form. */
export type Verdict =
  /** With `command`, the agent runs that one, which claims the permit. */
  | { readonly kind: "allow"; readonly command?: string }
  | { readonly kind: "deny"; readonly words: string }
  /** The agent's own prompt asks. */
  | { readonly kind: "ask"; readonly words: string }
  /** The event is about something that is over, or not for the hub to decide. */
  | { readonly kind: "nothing" };

/** Output and exit code of the hook's process. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr?: string;
  readonly exitCode: number;
}

/** Reads an agent's events and writes answers for it. */
export interface Dialect {
  /** Throws HubError if it isn't a valid event of this agent. */
  read(event: Readonly<Record<string, unknown>>): HookCall;
  write(call: HookCall, verdict: Verdict): HookAnswer;
  /** Whether the agent can be told to ask its user at this moment. */
  asks(call: HookCall): boolean;
  /** Whether the agent accepts another command at this moment. */
  rewrites(call: HookCall): boolean;
}

export const NO_ANSWER: HookAnswer = { stdout: "", exitCode: 0 };

export function jsonAnswer(answer: object): HookAnswer {
  return { stdout: JSON.stringify(answer), exitCode: 0 };
}
