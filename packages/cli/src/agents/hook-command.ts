import { isAbsolute } from "node:path";
import type { HookedAgent } from "@countersign/protocol/access";
import { quoteWord } from "@countersign/protocol/text";
import { CliError } from "../base/index.ts";

/** What stands in an agent's settings, taken apart. */
export interface HookCommand {
  readonly agent: HookedAgent;
  readonly node: string;
  /** Our hook's file. */
  readonly hook: string;
  readonly home: string;
  /** By which the hook knows the hub's word. */
  readonly key: string;
  readonly deadlineMs: number;
}

/**
 * The environment is left behind, so that nothing that a repository can set (NODE_OPTIONS, for one) loads code into the hook. What follows `||`
 * blocks where the hook can't even start: exit 2 with words, since some agents let the command run when there are none. It is
 * a command of its own, because a login shell may be one that has no braces.
 */
export function writeHookCommand({ agent, node, hook, home, key, deadlineMs }: HookCommand): string {
  for (const path of [node, hook, home]) refusePath(path);
  const words = [node, ...NODE_OPTIONS, hook, agent, "--home", home, "--key", key, "--deadline-ms", String(deadlineMs)];
  return `/usr/bin/env -i ${words.map(quoteWord).join(" ")} || /bin/sh -c ${quoteWord(IF_IT_CANT_RUN)}`;
}

/** The hook is over before Node's other threads would have anything to do: starting them is a millisecond of an agent's call. */
const NODE_OPTIONS = ["--v8-pool-size=1"];

const IF_IT_CANT_RUN =
  'echo "Countersign gave no answer through its hook, so this is not allowed. Its user can ask: countersign doctor" >&2; exit 2';

/** Undefined unless it is one of ours, byte for byte. */
export function readHookCommand(text: string): HookCommand | undefined {
  const words = /^\/usr\/bin\/env -i (.*) \|\| \/bin\/sh -c /s.exec(text)?.[1];
  const [node, , hook, agent, , home, , key, , deadline] = words === undefined ? [] : unquote(words);
  if (node === undefined || hook === undefined || home === undefined || key === undefined) return undefined;
  const found = { agent: agent as HookedAgent, node, hook, home, key, deadlineMs: Number(deadline) };
  return writeHookCommand(found) === text ? found : undefined;
}

/** Whether it was ours, in this or another version, whole or mended by hand. */
export function isOurs(command: unknown): boolean {
  return typeof command === "string" && command.includes("countersign-hook.cjs");
}

/** What `quoteWord` has quoted. */
function unquote(words: string): string[] {
  const pieces = words.match(/(?:'[^']*'|\\')+/g) ?? [];
  return pieces.map((piece) => piece.slice(1, -1).replaceAll("'\\''", "'"));
}

function refusePath(path: string): void {
  if (isAbsolute(path) && !/[\p{Cc}]/u.test(path)) return;
  throw new CliError(
    "FAILED",
    `${JSON.stringify(path)} can't be written to an agent's settings: it isn't a plain absolute path.`,
  );
}
