import type { HookedAgent } from "@countersign/protocol/access";

/** How a hook's process ended. */
export interface HookRun {
  readonly stdout: string;
  readonly stderr: string;
  /** Null: ended by a signal, or not within the agent's patience. */
  readonly exitCode: number | null;
}

/** What the agent then does. `runs`: the command runs, whatever the hook meant. */
export type Reading =
  | { readonly kind: "denied" | "allowed" | "asks"; readonly words: string }
  | { readonly kind: "runs"; readonly words: string };

/**
 * A hook's answer as each agent reads it, as tried out with their programs and written in their manuals; on purpose apart from what writes it.
 * Where an agent isn't known to block, it runs.
 */
export function readAsAgent(agent: HookedAgent, event: string, run: HookRun): Reading {
  return READERS[agent](run, event);
}

type Reader = (run: HookRun, event: string) => Reading;

const READERS: Record<HookedAgent, Reader> = {
  // With `onFailure: "block"`, which is ours; an older Claude Code knows exit 2 alone.
  "claude-code": (run, event) => (run.exitCode === 2 ? denied(run.stderr) : fromHookOutput(run, event)),
  // Exit 2 counts only with words. Nothing said is no objection: its own rules decide from there.
  codex: (run, event) => {
    if (run.exitCode === 2) return run.stderr.trim() === "" ? runs("exit 2 without words") : denied(run.stderr);
    if (run.exitCode === 0 && run.stdout.trim() === "") return allowed();
    const reading = fromHookOutput(run, event);
    if (reading.kind === "asks") return runs("it can't be told to ask");
    if (reading.kind === "denied" && reading.words.trim() === "") return runs("a denial without a reason");
    return reading;
  },
  gemini: ({ stdout, stderr, exitCode }) => {
    const text = stdout.trim() || stderr.trim();
    const output = asObject(text);
    if (output === undefined)
      return exitCode !== null && exitCode >= 2 && text !== "" ? denied(text) : runs(`exit ${exitCode}`);
    if (output.decision === "deny" || output.decision === "block") return denied(output.reason);
    return output.decision === "ask" ? { kind: "asks", words: "" } : allowed();
  },
  cursor: ({ stdout, stderr, exitCode }) => {
    if (exitCode === 2) return denied(stderr);
    // `failClosed` is ours too.
    const output = exitCode === 0 ? asObject(stdout) : undefined;
    if (output === undefined) return denied(stderr);
    if (output.permission === "deny") return denied(output.agent_message);
    return output.permission === "ask" ? runs("it can't be told to ask") : allowed();
  },
  opencode: ({ exitCode, stderr }) => (exitCode === 0 ? allowed() : denied(stderr)),
};

function fromHookOutput({ stdout, exitCode }: HookRun, event: string): Reading {
  const { hookSpecificOutput } = (exitCode === 0 ? asObject(stdout) : undefined) ?? {};
  const output = asRecord(hookSpecificOutput);
  if (output === undefined) return runs(exitCode === 0 ? "no answer that it could read" : `exit ${exitCode}`);
  if (event === "PermissionRequest") {
    const { behavior, message } = asRecord(output.decision) ?? {};
    return behavior === "deny" ? denied(message) : behavior === "allow" ? allowed() : runs("no decision");
  }
  const { permissionDecision, permissionDecisionReason } = output;
  if (permissionDecision === "deny") return denied(permissionDecisionReason);
  if (permissionDecision === "ask") return { kind: "asks", words: "" };
  return permissionDecision === "allow" ? allowed() : runs("no decision");
}

function asObject(text: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function denied(words: unknown): Reading {
  return { kind: "denied", words: typeof words === "string" ? words.trim() : "" };
}

function allowed(): Reading {
  return { kind: "allowed", words: "" };
}

function runs(words: string): Reading {
  return { kind: "runs", words };
}
