import { posix } from "node:path";
import { ASSUMED_MACHINE, type Machine, type ShownScript, type ShowScript } from "@countersign/policy";
import type { AssumedFile } from "./read-line.ts";

/** As many links as Linux follows. */
const MAX_LINKS = 40;
const MAX_SCRIPT_LENGTH = 4_096;
/** With one of these, or what lies in one, as the workspace nothing would lie outside; then the usual workspace stays. */
const NEVER_WORKSPACES = ["/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/dev", "/proc", "/sys", "/run"];
const TOO_WIDE = ["/", "/home", "/var", "/opt", ASSUMED_MACHINE.home];

/** A machine that nobody looks at, but for what a line of a batch assumes of it. */
export interface AssumedMachine {
  readonly context: Machine;
  /** By its path, what stands there. */
  readonly files: ReadonlyMap<string, AssumedFile>;
}

/** `cwd` is the workspace, too, where it may be one. */
export function assumedMachine(cwd = ASSUMED_MACHINE.cwd, files: readonly AssumedFile[] = []): AssumedMachine {
  const directory = posix.resolve(cwd);
  const workspace = mayBeWorkspace(directory) ? directory : ASSUMED_MACHINE.cwd;
  const placed = new Map(files.map((file) => [posix.resolve(workspace, file.path), file]));
  const links = new Map([...placed].flatMap(([path, { link }]) => (link === undefined ? [] : [[path, link]])));
  const context = { ...ASSUMED_MACHINE, cwd: directory, roots: [workspace] };
  if (links.size === 0) return { context, files: placed };
  return { context: { ...context, realpath: (path) => follow(path, links) }, files: placed };
}

/** The first of the files that isn't below the workspace. */
export function findOutside({ context, files }: AssumedMachine): string | undefined {
  return [...files.keys()].find((path) => !path.startsWith(`${context.roots[0]}/`));
}

function mayBeWorkspace(directory: string): boolean {
  return !TOO_WIDE.includes(directory) && !NEVER_WORKSPACES.some((one) => `${directory}/`.startsWith(`${one}/`));
}

/** As the kernel does it: `..` behind a link is above what the link leads to. Undefined for a loop. */
function follow(path: string, links: ReadonlyMap<string, string>): string | undefined {
  const left = path.split("/").reverse();
  let at = "/";
  for (let followed = 0; left.length > 0; ) {
    const next = posix.join(at, left.pop() ?? "");
    const link = links.get(next);
    if (link === undefined) at = next;
    else if (followed === MAX_LINKS) return undefined;
    else {
      followed += 1;
      if (link.startsWith("/")) at = "/";
      left.push(...link.split("/").reverse());
    }
  }
  return ASSUMED_MACHINE.realpath(at);
}

/** Which of the files the command would run, each once. `code` has alternatives of which the first that is there runs. */
export function findRunning(
  parts: readonly { readonly code?: readonly (readonly string[])[] }[],
  { context, files }: AssumedMachine,
): string[] {
  const real = (path: string) => context.realpath(path) ?? path;
  const found = parts.flatMap(({ code = [] }) =>
    code.flatMap((paths) => paths.map(real).find((path) => files.has(path)) ?? []),
  );
  return [...new Set(found)];
}

/** What stands in the scripts of a package.json whose content is assumed. */
export function scriptsOf({ files }: AssumedMachine): ShowScript {
  return ({ name, file }) => {
    const found = files.get(file);
    return found === undefined ? { file, silence: "NOT_HERE" } : { file, ...textsOf(name, found.content) };
  };
}

function textsOf(name: string, content: string | undefined): Pick<ShownScript, "runs" | "silence"> {
  const scripts = readScripts(content);
  if (scripts === undefined) return { silence: "UNREADABLE" };
  const textOf = (one: string) => (Object.hasOwn(scripts, one) ? scripts[one] : undefined);
  if (typeof textOf(name) !== "string") return { silence: "NOT_NAMED" };
  const runs = [`pre${name}`, name, `post${name}`].flatMap((one) => {
    const text = textOf(one);
    return typeof text === "string" ? [{ name: one, text }] : [];
  });
  return runs.some(({ text }) => text.length > MAX_SCRIPT_LENGTH) ? { silence: "TOO_LARGE" } : { runs };
}

function readScripts(content: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (content === undefined) return undefined;
  try {
    const { scripts } = Object(JSON.parse(content)) as { scripts?: unknown };
    return typeof scripts === "object" && scripts !== null ? (scripts as Record<string, unknown>) : {};
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
