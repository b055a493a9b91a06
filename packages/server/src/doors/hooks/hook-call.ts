/** The agents that ask through a hook. OpenCode asks through its plugin. */
export const HOOK_AGENTS = ["claude-code", "codex", "gemini", "cursor"] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];

/** What an agent's hook tells, whichever agent it is. */
export interface HookCall {
  /** As the agent calls it; its answer has to name it. */
  readonly eventName: string;
  /** `before`: it waits for us. `permission`: it would ask its user now. `after`: it has happened. */
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
  /** Of what has happened: how it ended. Undefined where that isn't known yet. */
  readonly ended?: ReportedEnd | undefined;
}

/** What is about to be done. */
export type HookTool =
  | { readonly kind: "shell"; readonly command: string; readonly reason?: string; readonly timeoutMs?: number }
  | { readonly kind: "unknown" };

/** An outcome as an executor may report it. */
interface ReportedEnd {
  readonly kind: "exited" | "aborted" | "timed-out";
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly reason?: string;
}

/** What we say to it, before it is put in the agent's words. */
export type Verdict =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly words: string }
  /** It was about something that has happened, or isn't ours to decide. */
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
}

export const NO_ANSWER: HookAnswer = { stdout: "", exitCode: 0 };
