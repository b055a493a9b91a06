import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { EXIT } from "@countersign/vocabulary";
import { CliError } from "./cli-error.ts";

/** Options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly home?: string;
  readonly url?: string;
}

export function homeDirOf({ home }: GlobalOptions, env: NodeJS.ProcessEnv = process.env): string {
  const dir = home || env.COUNTERSIGN_HOME || defaultHomeDir();
  if (dir !== undefined) return resolve(dir);
  const message = "This user has no home directory. Give the data directory with --home or COUNTERSIGN_HOME.";
  throw new CliError("NO_HOME", message, { exitCode: EXIT.usage });
}

/** Of a command that speaks to the hub of this user alone: silently asking another than the one that was named would be a surprise. */
export function localHomeOf(options: GlobalOptions): string {
  if (options.url === undefined) return homeDirOf(options);
  throw new CliError("FAILED", "This command needs a hub on this machine: give --home instead of --url.", {
    exitCode: EXIT.usage,
  });
}

export function defaultHomeDir(): string | undefined {
  const home = userHome();
  return home === undefined ? undefined : join(home, ".countersign");
}

/** Undefined for a user without HOME and without an entry in the user database, as in many containers. */
export function userHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
