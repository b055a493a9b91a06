import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { quoteWord } from "@countersign/protocol/text";
import { readLedger } from "@countersign/store";
import { claudeEvent, HookPlace } from "./hook-fixture.ts";

/** Whichever of these the user logs in with; zsh is tried where it is installed. */
const SHELLS = ["/bin/bash", "/bin/sh", "/bin/zsh"].filter((path) => existsSync(path));

interface Wrapped {
  readonly words: readonly string[];
  /** Where the agent reads what its shell left there. */
  readonly left: string;
}

interface Agent {
  event(place: HookPlace, command: string): object;
  // biome-ignore lint/suspicious/noExplicitAny: an agent's own form
  rewritten(answer: any): string;
  /** What it runs for a command, as the real one does. */
  wrap(place: HookPlace, command: string, shell: string): Wrapped;
}

const AGENTS: Readonly<Record<string, Agent>> = {
  "claude-code": {
    event: claudeEvent,
    rewritten: (answer) => answer.hookSpecificOutput.updatedInput.command,
    wrap(place, command, shell) {
      const left = join(place.workspace, "claude-cwd");
      const line = `eval ${quoteWord(command)} < /dev/null && pwd -P >| ${quoteWord(left)}`;
      return { words: [shell, "-c", line], left };
    },
  },
  codex: {
    event: (place, command) => claudeEvent(place, command, { turn_id: "1", model: "m" }),
    rewritten: (answer) => answer.hookSpecificOutput.updatedInput.command,
    wrap: (place, command, shell) => ({ words: [shell, "-lc", command], left: join(place.workspace, "none") }),
  },
  gemini: {
    event: (place, command) => ({
      session_id: "s",
      cwd: place.workspace,
      hook_event_name: "BeforeTool",
      timestamp: "2026-01-31T12:00:00.000Z",
      tool_name: "run_shell_command",
      tool_input: { command },
    }),
    rewritten: (answer) => answer.hookSpecificOutput.tool_input.command,
    wrap(place, command, shell) {
      const left = join(place.workspace, "bgpids.tmp");
      const line = `_bgpids_file=${quoteWord(left)}\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n${command}\n)\n__code=$?\nexit $__code`;
      return { words: [shell, "-c", line], left };
    },
  },
};

/** The agents' own shells are elsewhere: the hub is in this process, and answers meanwhile. */
async function runWords([file = "", ...args]: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(file, args, {
    cwd,
    env: { PATH: "/usr/bin:/bin", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, stdout, stderr };
}

/** Nobody is there to be asked. */
const FULL = { execApproval: { security: "full", ask: "off" } };
const HOME = {
  ...Object.fromEntries(Object.keys(AGENTS).map((name) => [`profiles/${name}/config.json`, FULL])),
  // As for one whose own sandbox is off.
  "config.json": { agents: { codex: { mode: "run" } } },
};

test("what each agent is given to run does in its shell what it asked for, in our jail", async (t) => {
  const place = await HookPlace.open(t, HOME);
  if (place.served.noJail !== undefined) return t.skip(place.served.noJail);
  mkdirSync(join(place.workspace, "it's deep"));
  const runAs = async (name: string, command: string, shell = "/bin/bash") => {
    const agent = AGENTS[name] as Agent;
    const { stdout: answer } = await place.hook(name, agent.event(place, command));
    const { words, left } = agent.wrap(place, agent.rewritten(JSON.parse(answer)), shell);
    const end = await runWords(words, place.workspace, { SECRET_OF_AGENT: "x" });
    return { ...end, left: existsSync(left) ? readFileSync(left, "utf8") : undefined };
  };

  for (const name of Object.keys(AGENTS)) {
    const end = await runAs(name, `echo "$PWD"; echo "\${SECRET_OF_AGENT-none}"; echo err >&2; (exit 4)`);
    assert.deepEqual(
      { ...end, left: undefined },
      { status: 4, stdout: `${place.workspace}\nnone\n`, stderr: "err\n", left: undefined },
      name,
    );
  }
  for (const shell of SHELLS) {
    const { status, left } = await runAs("claude-code", `cd "it's deep"`, shell);
    assert.deepEqual([status, left], [0, `${place.workspace}/it's deep\n`], shell);
  }
  assert.equal((await runAs("gemini", "echo started")).left, "");

  await t.test("one proposal has one start and one end on record, jailed, also when the agent tells its own", () =>
    seesOneEnd(place),
  );
});

async function seesOneEnd(place: HookPlace): Promise<void> {
  const agent = AGENTS["claude-code"] as Agent;
  const event = agent.event(place, "echo ran") as { tool_input: object };
  const { stdout: answer } = await place.hook("claude-code", event);
  const { words } = agent.wrap(place, agent.rewritten(JSON.parse(answer)), "/bin/bash");
  assert.equal((await runWords(words, place.workspace)).stdout, "ran\n");
  await place.hook("claude-code", {
    ...event,
    hook_event_name: "PostToolUse",
    tool_input: JSON.parse(answer).hookSpecificOutput.updatedInput,
    tool_response: { stdout: "ran\n", stderr: "", interrupted: false },
  });
  const recorded = [];
  for await (const { type, body, proposalKey } of readLedger(place.served.home.database)) {
    const { enforcement, executor, kind, reportedBy } = body;
    if (proposalKey !== null) recorded.push({ type, enforcement, executor, kind, reportedBy });
  }
  const none = { enforcement: undefined, executor: undefined, kind: undefined, reportedBy: undefined };
  assert.deepEqual(recorded.slice(-3), [
    { ...none, type: "decided", enforcement: "jail", executor: "local" },
    { ...none, type: "started", executor: "local" },
    { ...none, type: "ended", kind: "exited", reportedBy: "hub" },
  ]);
}
