import { lstatSync, type Stats } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { isInside, realPathAsFarAsItExists } from "@countersign/core/host/fs";
import { ToolError } from "./tool-error.ts";

/** A path inside the roots, with all links resolved. */
export interface Place {
  readonly real: string;
  /** The workspace, in which the command runs. */
  readonly workspace: string;
  /** The path for a command in the workspace: relative if it is inside, and never like an option. */
  readonly operand: string;
  /** Undefined if nothing is there yet. */
  readonly stat: Stats | undefined;
}

const MAX_PATH = 4096;

/**
 * Refuses a path that leads out of the roots before anything is proposed. The classifier and the jail check again what
 * can change until the run.
 */
export function findPlace(path: string, roots: readonly string[]): Place {
  if (path === "" || path.length > MAX_PATH || path.includes("\0") || !path.isWellFormed()) {
    throw new ToolError("INVALID_INPUT", "path: must be 1 to 4096 characters of valid Unicode without NUL");
  }
  const [workspace = "/"] = roots;
  const real = realPathAsFarAsItExists(resolve(workspace, path));
  if (real === undefined) {
    throw new ToolError(
      "NOT_FOUND",
      `${path} can't be resolved: something on its way is a file, a broken link or closed to us`,
    );
  }
  if (!roots.some((root) => isInside(real, root))) {
    throw new ToolError("OUTSIDE_WORKSPACE", `${path} leads out of the workspace ${workspace}, to ${real}`);
  }
  return { real, workspace, operand: operandOf(real, workspace), stat: look(real) };
}

export function refuseUnlessFile({ stat, operand }: Place): void {
  if (!stat) throw new ToolError("NOT_FOUND", `${operand} doesn't exist`);
  if (stat.isDirectory()) throw new ToolError("WRONG_KIND", `${operand} is a directory, not a file`);
  if (!stat.isFile()) throw new ToolError("SPECIAL_FILE", `${operand} is ${kindOf(stat)}, not an ordinary file`);
}

export function refuseUnlessDirectory({ stat, operand }: Place): void {
  if (!stat) throw new ToolError("NOT_FOUND", `${operand} doesn't exist`);
  if (!stat.isDirectory()) throw new ToolError("WRONG_KIND", `${operand} isn't a directory`);
}

/** Returns the directory to create before the file, or undefined if it exists. */
export function missingParent({ real, workspace }: Place): string | undefined {
  const parent = dirname(real);
  for (let dir = parent; ; dir = dirname(dir)) {
    if (look(dir)) return dir === parent ? undefined : operandOf(parent, workspace);
  }
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw new ToolError("NOT_FOUND", `${path} can't be looked at: ${String(cause)}`, { cause });
  }
}

/** Prefixes `-`: alone it would mean standard input, and `-x` an option to programs without `--`. */
function operandOf(real: string, workspace: string): string {
  if (!isInside(real, workspace)) return real;
  const inside = relative(workspace, real) || ".";
  return inside.startsWith("-") ? `./${inside}` : inside;
}

function kindOf(stat: Stats): string {
  if (stat.isFIFO()) return "a fifo";
  if (stat.isSocket()) return "a socket";
  return stat.isSymbolicLink() ? "a link" : "a device";
}
