import { readdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { readRegular } from "@countersign/core/host";
import { isAbsence, isInside, realPathAsFarAsItExists } from "@countersign/core/host/fs";
import { readHost } from "@countersign/core/network";
import type { Machine } from "@countersign/policy";

/** Far more than a person's settings have. What is beyond isn't read, and its hosts stay closed. */
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 64;
const MAX_HOSTS = 256;

interface Whose {
  readonly home: string;
  readonly roots: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

type OwnSettings = Parameters<NonNullable<Machine["hostsIn"]>>[0];

/**
 * Returns the hosts that the user's own settings name. None at all if one of the files lies where an agent may write:
 * whoever writes it would choose where the user's login is sent.
 */
export function ownHosts({ files = [], keys, topKeys, variables = [] }: OwnSettings, whose: Whose): string[] {
  const paths = files.flatMap((file) => expand(file, whose)).slice(0, MAX_FILES);
  const real = paths.map((path) => (isAbsolute(path) ? realPathAsFarAsItExists(path) : undefined));
  if (real.some((path) => path === undefined || whose.roots.some((root) => isInside(path, root)))) return [];
  const texts = real.map((path) => readText(path as string));
  const words = [
    ...variables.map((name) => whose.env[name] ?? ""),
    ...(keys === undefined ? [] : texts.flatMap((text) => valuesOf(keys, text))),
    ...(topKeys ? texts.flatMap(topKeysOf) : []),
  ];
  return [...new Set(words.flatMap(hostOf))].slice(0, MAX_HOSTS);
}

/** `~` is the home, `$NAME` each path in that variable, and one `*` each name in the directory before it. */
function expand(file: string, { home, env }: Whose): string[] {
  if (file.startsWith("$")) return (env[file.slice(1)] ?? "").split(":").filter((path) => path !== "");
  const path = file.replace(/^~/, home);
  const [before, after] = path.split("*");
  if (before === undefined || after === undefined) return [path];
  return namesIn(dirname(`${before}x`)).map((name) => join(before, name, after));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    if (isAbsence(cause)) return [];
    throw cause;
  }
}

function readText(path: string): string {
  return readRegular(path, MAX_BYTES)?.content.toString("utf8") ?? "";
}

/** In YAML, JSON and INI alike: what stands behind `key:` or `key =`. */
function valuesOf(keys: readonly string[], text: string): string[] {
  const pattern = new RegExp(`(?:^|[\\s,{"'-])(?:${keys.join("|")})"?[ \\t]*[:=][ \\t]*["']?([^\\s"',}]+)`, "gm");
  return [...text.matchAll(pattern)].map(([, value = ""]) => value);
}

/** GitHub's own clouds answer below `api.`. */
function topKeysOf(text: string): string[] {
  return [...text.matchAll(/^["']?([\w.-]+)["']?:[ \t]*$/gm)].flatMap(([, host]) => [`${host}`, `api.${host}`]);
}

/** Of an address or a host with or without a port; nothing of a socket's. */
function hostOf(word: string): string[] {
  const named = word.includes("://") ? URL.parse(word)?.hostname : word.replace(/\/.*$/s, "").replace(/:\d+$/, "");
  const host = named === undefined || named === "" ? undefined : readHost(named);
  return host === undefined ? [] : [host.text];
}
