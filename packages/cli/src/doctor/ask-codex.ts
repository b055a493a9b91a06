import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { VERSION } from "@countersign/core/base";
import { visible } from "@countersign/protocol/text";
import { isOurs } from "../agents/index.ts";
import { type Finding, not, ok } from "./finding.ts";

const PATIENCE_MS = 10_000;
const CHECK = "codex: what it says itself";

interface CodexHook {
  readonly command?: unknown;
  readonly eventName?: unknown;
  readonly enabled?: unknown;
  readonly trustStatus?: unknown;
}

/** Whether Codex would run our hooks, by its own word: what it trusts, and how it tells, is for it to change. */
export async function askCodex(program: string, cwd: string): Promise<Finding> {
  const hooks = await listHooks(program, cwd);
  if (hooks === undefined) {
    const says = `${visible(program)} didn't tell which hooks it runs`;
    return not("skip", CHECK, { says, remedy: "look at /hooks in Codex" });
  }
  const ours = hooks.filter(({ command }) => isOurs(command));
  const runs = ours.filter(
    ({ enabled, trustStatus }) => enabled === true && /^(?:trusted|managed)$/.test(String(trustStatus)),
  );
  if (ours.length > 0 && runs.length === ours.length) return ok(CHECK, `it runs our ${ours.length} hooks`);
  const passed = ours
    .filter((hook) => !runs.includes(hook))
    .map(({ eventName, trustStatus }) => `${eventName} is ${trustStatus}`);
  const says = ours.length === 0 ? "it knows none of our hooks" : `it passes ours over: ${visible(passed.join(", "))}`;
  return not("open", CHECK, { says, remedy: "countersign install codex, or trust them in Codex: /hooks" });
}

/** Undefined where it doesn't answer as it is known to. */
function listHooks(program: string, cwd: string): Promise<CodexHook[] | undefined> {
  const child = spawn(program, ["app-server"], {
    cwd,
    stdio: ["pipe", "pipe", "ignore"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const say = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  child.stdin.on("error", () => undefined);
  return new Promise((resolve) => {
    const end = (hooks?: CodexHook[]) => {
      child.kill("SIGKILL");
      resolve(hooks);
    };
    child.once("error", () => end());
    child.once("close", () => end());
    createInterface(child.stdout).on("line", (line) => {
      const { id, result } = parse(line);
      if (id === 1) {
        say({ method: "initialized" });
        say({ id: 2, method: "hooks/list", params: { cwds: [cwd] } });
      }
      if (id === 2) end(result?.data?.flatMap(({ hooks = [] }) => hooks));
    });
    say({ id: 1, method: "initialize", params: { clientInfo: { name: "countersign", version: VERSION } } });
  });
}

interface Answer {
  readonly id?: unknown;
  readonly result?: { readonly data?: readonly { readonly hooks?: readonly CodexHook[] }[] };
}

function parse(line: string): Answer {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return {};
  }
}
