import { basename } from "node:path";
import type { Classification } from "../../src/model/classification.ts";

const WRITES = /\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND)\b/;
/**
 * They keep nothing. A here-document that is too long for a pipe is a file of bash's own. Git writes down what it found out about
 * its files where it may; in a real run the jail refuses that, and nothing is lost.
 */
const HARMLESS =
  /^\/dev\/(null|zero|full|tty|stdout|stderr|fd\/\d+)$|^\/proc\/(self|\d+)\/(fd\/\d+|coredump_filter)$|^\/tmp\/sh-thd|\/\.git\/index(\.lock)?$/;
const CHANGES =
  /^(creat|unlink|unlinkat|rename|renameat2?|mkdir|mkdirat|rmdir|chmod|fchmodat|chown|lchown|fchownat|truncate|link|linkat|symlink|symlinkat|mknod|mknodat|utimensat|setxattr)$/;

/** What a traced command did that its classification didn't name. */
export function findViolations(trace: string, { parts, effects }: Classification): string[] {
  const named = new Set(["bash", ...parts.map((part) => basename(part.program ?? part.words[0] ?? ""))]);
  for (const effect of effects) if (effect.kind === "executes") named.add(basename(effect.target ?? ""));
  return joinResumed(trace).flatMap((line) => {
    const call = /^(\w+)\((.*)\)\s+= (-?\d+|\?)/s.exec(line);
    if (call === null) return [];
    const [, name = "", words = "", result = ""] = call;
    const problem = judge(name, words, { ok: !result.startsWith("-"), named });
    return problem === undefined ? [] : [`${problem}: ${line.slice(0, 200)}`];
  });
}

function judge(
  name: string,
  words: string,
  { ok, named }: { ok: boolean; named: ReadonlySet<string> },
): string | undefined {
  const path = /"((?:[^"\\]|\\.)*)"/.exec(words)?.[1] ?? "";
  if (name.startsWith("execve"))
    return ok && !named.has(basename(path)) ? "runs a program that isn't named" : undefined;
  if (name.startsWith("open"))
    return ok && WRITES.test(words) && !HARMLESS.test(path) ? "opens a file to write" : undefined;
  // An attempt is enough: outside of this jail it would arrive.
  if (name === "connect" || name === "sendto")
    return /sa_family=AF_INET/.test(words) ? "talks to another machine" : undefined;
  return ok && CHANGES.test(name) && !HARMLESS.test(path) ? "changes a file" : undefined;
}

/** strace cuts a call in two when another process comes between; and begins each line with the process. */
function joinResumed(trace: string): string[] {
  const open = new Map<string, string>();
  const lines: string[] = [];
  for (const line of trace.split("\n")) {
    const [, pid = "", rest = ""] = /^(\d+)\s+(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    if (rest.endsWith("<unfinished ...>")) open.set(pid, rest.slice(0, -"<unfinished ...>".length));
    else if (resumed) lines.push(`${open.get(pid) ?? ""}${resumed[1]}`);
    else if (rest !== "") lines.push(rest);
  }
  return lines;
}
