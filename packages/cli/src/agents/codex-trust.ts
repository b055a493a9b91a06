import { parse } from "smol-toml";
import { CliError } from "../base/index.ts";
import type { OurHook } from "./our-hooks.ts";
import { sha256Of } from "./sha256-of.ts";

/**
 * Codex runs a hook only once its user has trusted that very hook, and skips it without a word until then. Whoever installs us wants it run: the
 * trust is written where Codex keeps it, in lines of our own, and `install` says so.
 */
export type Trust = ReadonlyMap<string, string>;

/** Codex knows a hook by its file and place, and trusts a hash of what it would run. */
export function trustFor(hooks: readonly OurHook[], settingsPath: string): Trust {
  return new Map(
    hooks.map(({ event, group, item }) => {
      const label = event.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
      return [`${settingsPath}:${label}:${group}:0`, hashOf(label, item)] as const;
    }),
  );
}

/** Of the compact JSON with sorted keys, everything filled in. */
function hashOf(label: string, item: OurHook["item"]): string {
  const [handler] = item.hooks as readonly { readonly command: string; readonly timeout: number }[];
  const { command = "", timeout = 600 } = handler ?? {};
  const identity = {
    event_name: label,
    hooks: [{ async: false, command, timeout, type: "command" }],
    matcher: item.matcher,
  };
  return `sha256:${sha256Of(JSON.stringify(identity))}`;
}

const BEGIN =
  "# Countersign's hook, trusted by `countersign install codex`. `countersign uninstall codex` removes these lines.";
const END = "# End of Countersign's lines.";

/** `config.toml` with exactly this trust as ours for one file of hooks. Throws CliError where it can't be read or can't hold it. */
export function withTrust(
  text: string,
  trust: Trust,
  { path, settingsPath }: { readonly path: string; readonly settingsPath: string },
): string {
  readToml(text, path);
  const others = [...oursIn(text)].filter(([key]) => !key.startsWith(`${settingsPath}:`));
  const wanted = new Map([...others, ...trust]);
  const rest = [...wanted.keys()].reduce(withoutTable, withoutOurLines(text));
  if (wanted.size === 0) return rest;
  const tables = [...wanted].map(([key, hash]) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${hash}"`);
  const gap = rest === "" || rest.endsWith("\n\n") ? "" : rest.endsWith("\n") ? "\n" : "\n\n";
  const edited = `${rest}${gap}${[BEGIN, ...tables, END].join("\n")}\n`;
  const state = statesIn(readToml(edited, path));
  if ([...wanted].every(([key, hash]) => state[key]?.trusted_hash === hash)) return edited;
  throw new CliError("FAILED", `${path} can't be changed by Countersign. Trust the hook in Codex: /hooks.`);
}

function oursIn(text: string): Trust {
  const lines = ourLines(text);
  if (lines === undefined) return new Map();
  const states = statesIn(parse(text.slice(lines.start, lines.end)));
  return new Map(Object.entries(states).map(([key, { trusted_hash: hash }]) => [key, String(hash)]));
}

/** What of Codex's own settings decides whether our hooks run. */
export function readCodexConfig(text: string, path: string): { readonly hooksOff: boolean; readonly trust: Trust } {
  const config = readToml(text, path);
  const features = (config.features ?? {}) as Record<string, unknown>;
  const trusted = Object.entries(statesIn(config)).filter(([, { enabled }]) => enabled !== false);
  return {
    hooksOff: (features.hooks ?? features.codex_hooks) === false,
    trust: new Map(trusted.map(([key, { trusted_hash: hash }]) => [key, String(hash)])),
  };
}

function readToml(text: string, path: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (cause) {
    const first = (cause as Error).message.split("\n")[0] ?? "";
    const { line } = cause as { line?: number };
    throw new CliError("FAILED", `${path} can't be changed: line ${line ?? "?"}: ${first}`, { cause });
  }
}

interface HookState {
  readonly enabled?: unknown;
  readonly trusted_hash?: unknown;
}

function statesIn(config: Record<string, unknown>): Record<string, HookState> {
  const { state = {} } = (config.hooks ?? {}) as { state?: Record<string, HookState> };
  return state;
}

function ourLines(text: string): { readonly start: number; readonly end: number } | undefined {
  const start = text.indexOf(BEGIN);
  const end = start === -1 ? -1 : text.indexOf(END, start);
  return end === -1 ? undefined : { start, end: end + END.length };
}

function withoutOurLines(text: string): string {
  const lines = ourLines(text);
  if (lines === undefined) return text;
  // The empty line before was ours too.
  return text.slice(0, lines.start).replace(/\n\n$/, "\n") + text.slice(lines.end).replace(/^\n/, "");
}

/** One that Codex has written itself, when its user trusted an earlier form. */
function withoutTable(text: string, key: string): string {
  const header = `[hooks.state.${JSON.stringify(key)}]`;
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() === header);
  if (start === -1) return text;
  const length = lines.slice(start + 1).findIndex((line) => line.trimStart().startsWith("["));
  lines.splice(start, length === -1 ? lines.length : length + 1);
  return lines.join("\n");
}
