import { spawn } from "node:child_process";
import type { HookedAgent } from "@countersign/protocol/access";
import type { Machine } from "../agents/index.ts";
import type { HookRun } from "./read-as-agent.ts";

/** Longer than any canary's own deadline. */
const PATIENCE_MS = 20_000;
const MAX_OUTPUT = 1024 * 1024;

/** Runs the command of an agent's settings as that agent does: through its shell, with next to nothing on PATH. */
export function fireHook(
  {
    agent,
    command,
    input,
    cwd,
  }: { readonly agent: HookedAgent; readonly command: string; readonly input: string; readonly cwd: string },
  { env, userHome }: Machine,
): Promise<HookRun> {
  const [shell, ...options] = shellOf(agent, env.SHELL);
  const given = { PATH: "/usr/bin:/bin", ...(userHome === undefined ? {} : { HOME: userHome }) };
  const child = spawn(shell, [...options, command], { cwd, env: given, detached: true });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (out[name].length < MAX_OUTPUT) out[name] += text;
    });
  }
  // A hook that ends before it has read everything is a hook that ends.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => {
    // With all that the shell has started: one of them would keep the output open.
    const late = setTimeout(() => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // All of them are gone but one that made itself a group of its own.
      }
      end({ ...out, exitCode: null });
    }, PATIENCE_MS);
    const end = (run: HookRun) => {
      clearTimeout(late);
      resolve(run);
    };
    child.once("error", (cause) => end({ ...out, stderr: cause.message, exitCode: null }));
    child.once("close", (exitCode) => end({ ...out, exitCode }));
  });
}

function shellOf(agent: HookedAgent, login: string | undefined): [string, ...string[]] {
  switch (agent) {
    case "codex":
      return [login || "/bin/sh", "-lc"];
    case "gemini":
      return ["/bin/bash", "-c"];
    case "claude-code":
    case "cursor":
    case "opencode":
      return ["/bin/sh", "-c"];
  }
}
