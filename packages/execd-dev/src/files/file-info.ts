import type { BigIntStats } from "node:fs";
import { readFileSync } from "node:fs";

/** What execd tells of a file, in the order in which Go writes it. */
export function fileInfo(path: string, stats: BigIntStats): object {
  return {
    path,
    type: typeOf(stats),
    size: Number(stats.size),
    modified_at: goTime(stats.mtimeNs),
    created_at: goTime(stats.ctimeNs),
    owner: nameOf("/etc/passwd", Number(stats.uid)),
    group: nameOf("/etc/group", Number(stats.gid)),
    mode: Number((Number(stats.mode) & 0o777).toString(8)),
  };
}

function typeOf(stats: BigIntStats): "symlink" | "directory" | "file" | "other" {
  if (stats.isSymbolicLink()) return "symlink";
  if (stats.isDirectory()) return "directory";
  return stats.isFile() ? "file" : "other";
}

/** RFC 3339 with as many digits as there are. */
function goTime(ns: bigint): string {
  const seconds = ns / 1_000_000_000n;
  const rest = (ns % 1_000_000_000n).toString().padStart(9, "0").replace(/0+$/, "");
  const whole = new Date(Number(seconds) * 1_000).toISOString().slice(0, 19);
  return `${whole}${rest === "" ? "" : `.${rest}`}Z`;
}

type Database = "/etc/passwd" | "/etc/group";

/** The name, or the number where it has none. */
function nameOf(database: Database, id: number): string {
  return entries(database).find(([, its]) => its === id)?.[0] ?? `${id}`;
}

/** Undefined where nobody has that name. */
export function idOf(database: Database, name: string): number | undefined {
  return entries(database).find(([its]) => its === name)?.[1];
}

/** Read each time: they are short, and a command may have added somebody. */
function entries(database: Database): [name: string, id: number][] {
  let text: string;
  try {
    text = readFileSync(database, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [name, , id] = line.split(":");
    return name && id !== undefined && /^\d+$/.test(id) ? [[name, Number(id)] as [string, number]] : [];
  });
}
