import { lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import type { HookedAgent } from "@countersign/protocol/access";
import { type Machine, settingsPath } from "../agents/index.ts";

export interface Transcript {
  readonly agent: HookedAgent;
  readonly file: string;
}

const MAX_DEPTH = 8;
const MAX_FILES = 100_000;

/** Where agents keep what they did: files that were written to since. Links aren't followed. */
export function findTranscripts(machine: Machine, sinceMs: number): Transcript[] {
  return PLACES.flatMap(({ agent, below, isOne }): Transcript[] => {
    const settings = settingsPath(agent, "user", machine);
    const dir = agent === "opencode" ? dataDir(machine) : settings && join(dirname(settings), below);
    if (dir === undefined) return [];
    // It could lead anywhere, and be a walk without end: it is told as one that can't be read.
    if (lookAt(dir)?.isSymbolicLink()) return [{ agent, file: dir }];
    const closed: string[] = [];
    const files = filesIn(dir, { depth: MAX_DEPTH, closed }).filter(
      (file) => isOne.test(file) && isSince(file, sinceMs),
    );
    // A folder is no transcript, and so told as one that can't be read.
    if (files.length > MAX_FILES) closed.push(dir);
    return [...files.slice(0, MAX_FILES), ...closed].map((file) => ({ agent, file }));
  });
}

const PLACES: readonly { readonly agent: HookedAgent; readonly below: string; readonly isOne: RegExp }[] = [
  { agent: "claude-code", below: "projects", isOne: /\.jsonl$/ },
  { agent: "codex", below: "sessions", isOne: /\/rollout-[^/]*\.jsonl$/ },
  { agent: "gemini", below: "tmp", isOne: /\/chats\/[^/]*\.jsonl$/ },
  { agent: "opencode", below: "", isOne: /\/opencode\.db$/ },
];

function dataDir({ userHome, env }: Machine): string | undefined {
  const data = env.XDG_DATA_HOME ?? (userHome && join(userHome, ".local", "share"));
  return data && join(data, "opencode");
}

/** Undefined where nobody can: also where a folder on the way is a file. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** `closed` gets the folders that nobody lets us look into. */
function filesIn(dir: string, { depth, closed }: { readonly depth: number; readonly closed: string[] }): string[] {
  if (depth === 0) return [];
  let found: ReturnType<typeof readFolder>;
  try {
    found = readFolder(dir);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") closed.push(dir);
    return [];
  }
  return found.flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return filesIn(path, { depth: depth - 1, closed });
    // A link or a pipe in a transcript's place isn't opened either, and is told as one that can't be read.
    return [path];
  });
}

function readFolder(dir: string) {
  return readdirSync(dir, { withFileTypes: true });
}

/** A database is written to beside itself first. */
function isSince(file: string, sinceMs: number): boolean {
  if (file.endsWith(".db")) return true;
  return (lookAt(file)?.mtimeMs ?? 0) >= sinceMs;
}
