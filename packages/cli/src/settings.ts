import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly home?: string;
  readonly url?: string;
}

export function homeDirOf({ home }: GlobalOptions, env: NodeJS.ProcessEnv = process.env): string {
  return resolve(home || env.COUNTERSIGN_HOME || defaultHomeDir());
}

export function defaultHomeDir(): string {
  return join(homedir(), ".countersign");
}
