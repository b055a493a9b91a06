import { statSync } from "node:fs";
import type { CodeSnapshot } from "../base/index.ts";

/** What the shell of a run told when it left. */
export interface ShellReport {
  /** Where it stood. */
  readonly directory: string;
  /** Processes that it left in the background, which end with it. */
  readonly background: number;
}

/** Nothing else is in the jail's /run. */
const PATH = "/run/countersign/parting";

/** How bash is told to read a file before it reads the command (BASH_ENV), which stays as it was checked. */
export const SHELL_REPORT_ENV = { BASH_ENV: PATH };

/**
 * Only the shell that was started says where it stood, and not one that it starts. A command that has an EXIT trap of its own, or
 * becomes another program, tells nothing.
 */
export function shellReportScript(fd: number): CodeSnapshot {
  const script = `unset BASH_ENV\ntrap '{ builtin jobs -pr >&${fd}; builtin pwd -P >&${fd}; } 2>/dev/null' EXIT\n`;
  return { path: PATH, mode: 0o444, content: Buffer.from(script) };
}

/** More isn't read. The longest path has 4096 bytes; whoever has more than some jobs is told of some. */
export const MAX_SHELL_REPORT_BYTES = 16 * 1024;

/**
 * Whatever ran in the jail can write there, so it is nobody's word: a directory that isn't one out here is none. What is in the jail's
 * own /tmp is gone.
 */
export function readShellReport(told: Buffer): ShellReport | undefined {
  const [, jobs, directory] = /^((?:\d+\n)*)(\/[^\0]*)\n$/.exec(told.toString("utf8")) ?? [];
  if (jobs === undefined || directory === undefined || directory.includes("\ufffd")) return undefined;
  if (directory.length > 4_096 || !isDirectory(directory)) return undefined;
  return { directory, background: jobs.split("\n").length - 1 };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
