import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { TABLES } from "@countersign/policy";
import { visible } from "@countersign/protocol/text";
import { type Finding, not, ok } from "./finding.ts";

/** Where shells are told of aliases. They are read, never run: an rc file may do anything, and take any time. */
const FILES = [
  ...[".bashrc", ".bash_aliases", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile"],
  ...[".config/fish/config.fish", ".config/zsh/.zshrc"],
];
const MAX_BYTES = 1024 * 1024;

/** `alias ls=…`, `alias ls …` (fish), `ls() {`, `function ls`. */
const ALIAS = /^\s*(?:alias\s+(?:-\w+\s+)*([\w.+-]+)(?:=|\s)|function\s+([\w.+-]+)|([\w.+-]+)\s*\(\)\s*\{)/gm;

/** The tool itself with other options, as most systems have it for `ls`: still that tool. */
const ITSELF = /^\s*alias\s+([\w.+-]+)=(['"]?)\1(?:\s+-[\w=-]+)*\2\s*$/gm;

const KNOWN: ReadonlySet<string> = new Set(TABLES.tools.flatMap(({ names }) => names));

/** An agent that runs a command itself, in the user's shell, may run another program than the one that was judged. */
export function checkAliases(userHome: string | undefined): Finding {
  const found = userHome === undefined ? [] : FILES.flatMap((file) => shadowing(userHome, file));
  if (found.length === 0) return ok("aliases", "none that shadows a tool whose effects are known");
  const says = `${found.length} shadow tools whose effects are known: ${found.slice(0, 20).join(", ")}`;
  const remedy = "an agent in mode run doesn't see them; for others, take them out of the shell's files";
  return not("warn", "aliases", { says, remedy });
}

function shadowing(userHome: string, file: string): string[] {
  const path = join(userHome, file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_BYTES) return [];
  const text = readFileSync(path, "utf8").replace(ITSELF, "");
  const names = [...text.matchAll(ALIAS)].map(([, alias, fn, sh]) => alias ?? fn ?? sh ?? "");
  const known = new Set(names.filter((name) => KNOWN.has(name)));
  return [...known].map((name) => `${visible(name)} (~/${file})`);
}
