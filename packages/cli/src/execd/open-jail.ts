import type { Isolator, LocalJail } from "@countersign/execd";
import { visible } from "@countersign/sdk";
import { JailError, openWorkspaceJail, type WorkspaceJail, type WorkspaceJailOptions } from "@countersign/server";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { LogLevel } from "../hub-log.ts";
import { hubLog } from "../hub-log.ts";

export interface JailOptions {
  readonly workspace: string;
  readonly homeDir: string;
  readonly network: boolean;
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
export async function openJail({ logLevel, ...options }: JailOptions): Promise<OpenJail> {
  const log = hubLog(logLevel);
  const opened = await openWorkspaceJail({ ...options, log }).catch(refuse);
  const { workspace, env } = opened;
  return {
    ...{ workspace, env, jail: insideOf(opened) },
    isolator: isolatorFor({ ...options, workspace, log }),
    close: () => opened.close(),
  };
}

/** What a jail is to who asks for commands and files. */
function insideOf(jail: WorkspaceJail): LocalJail {
  const { workspace, temporary, held } = jail;
  return {
    roots: [
      { shown: workspace, directory: workspace },
      { shown: "/tmp", directory: temporary, held },
    ],
    starter: {
      async start({ uid, gid, ...request }) {
        if (uid === undefined && gid === undefined) return await jail.start(request);
        throw new Error("the jail has one user: uid and gid can't be chosen");
      },
    },
  };
}

/**
 * Jails of their own for sessions, around the same workspace. No directory in it can be one's workspace: who works in the workspace could
 * put a link in that directory's place, and the next jail would show what it leads to.
 */
function isolatorFor(options: WorkspaceJailOptions): Isolator {
  const { workspace, network: hasNetwork } = options;
  return {
    ...{ name: "bubblewrap", workspace, hasNetwork },
    async open({ readOnly, network }) {
      const jail = await openWorkspaceJail({ ...options, readOnly, network: network && hasNetwork });
      const { roots, starter } = insideOf(jail);
      const marked = roots.map((root) => (root.shown === workspace ? { ...root, readOnly } : root));
      return { roots: marked, starter, env: jail.env, close: () => jail.close() };
    },
  };
}

function refuse(cause: unknown): never {
  if (!(cause instanceof JailError)) throw cause;
  if (cause.code === "ROOT_TOO_WIDE")
    throw new CliError("FAILED", `${visible(cause.message)} (--workspace).`, { exitCode: EXIT.usage, cause });
  const why = `There is no jail for what it would be asked to run: ${visible(cause.message)}.`;
  const remedy = "Install bubblewrap, or give --no-jail: then whoever reaches it has all that you have.";
  throw new CliError("FAILED", `${why} ${remedy}`, { cause });
}
