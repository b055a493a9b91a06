import { realpathSync } from "node:fs";
import type { Isolator, LocalJail } from "@countersign/execd-dev";
import { giveable, JailError, openWorkspaceJail, removeLeftBehind } from "@countersign/jail";
import { visible } from "@countersign/protocol/text";
import { CliError, EXIT } from "../base/index.ts";
import { hubLog, type LogLevel } from "../hub-errors/index.ts";
import { insideOf } from "./inside-of.ts";
import { isolatorFor } from "./session-isolator.ts";

export interface JailOptions {
  readonly workspace: string;
  readonly homeDir: string;
  readonly network: boolean;
  /** What else isolated sessions may have bound. */
  readonly allowed?: readonly string[];
  /** What may be written over a session's workspace. */
  readonly tmpBytes?: number;
  readonly logLevel: LogLevel;
}

export interface OpenJail {
  readonly jail: LocalJail;
  /** For sessions that want a jail of their own. */
  readonly isolator: Isolator;
  /** What everything starts with. */
  readonly env: Readonly<Record<string, string>>;
  /** As it stands itself, without links. */
  readonly workspace: string;
  close(): Promise<void>;
}

/** The jail around all that `execd serve` is asked for. Refused in words where there can be none. */
export async function openJail({ logLevel, allowed = [], ...options }: JailOptions): Promise<OpenJail> {
  const log = hubLog(logLevel);
  const given = allowed.map((directory) => allow(directory, options));
  // What is in another could be replaced by whoever works there.
  const bindable = given.filter((one) => !given.some((other) => other !== one && isIn(one, other)));
  const opened = await openWorkspaceJail({ ...options, log }).catch(refuse);
  // Nobody waits for it: there may be much.
  const cleaning = removeLeftBehind(log);
  const { workspace, env, ids } = opened;
  return {
    ...{ workspace, env, jail: insideOf(opened) },
    isolator: isolatorFor({ ...options, workspace, log }, { bindable, ids }),
    close: async () => {
      await Promise.all([opened.close(), cleaning]);
    },
  };
}

function isIn(path: string, tree: string): boolean {
  return `${path}/`.startsWith(`${tree}/`);
}

/** Whoever may change what is around the workspace could put a link in its place. */
function allow(directory: string, { workspace, homeDir }: Pick<JailOptions, "workspace" | "homeDir">): string {
  try {
    const real = giveable(directory, homeDir);
    const around = realpathSync(workspace);
    if (isIn(around, real) && real !== around) throw new Error("the workspace is in it");
    // Whoever works there could put another's directory in its place.
    if (isIn(real, around)) throw new Error("it is in the workspace, of which all can be bound");
    return real;
  } catch (cause) {
    const why = visible((cause as Error).message);
    throw new CliError("FAILED", `${visible(directory)} can't be given to sessions: ${why}.`, {
      exitCode: EXIT.usage,
      cause,
    });
  }
}

function refuse(cause: unknown): never {
  if (!(cause instanceof JailError)) throw cause;
  if (cause.code === "ROOT_TOO_WIDE")
    throw new CliError("FAILED", `${visible(cause.message)} (--workspace).`, { exitCode: EXIT.usage, cause });
  const why = `Commands can't be jailed here: ${visible(cause.message)}.`;
  const remedy = "Install bubblewrap, or give --no-jail; anyone who reaches it then has all your rights.";
  throw new CliError("FAILED", `${why} ${remedy}`, { cause });
}
