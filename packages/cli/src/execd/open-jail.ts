import type { LocalJail } from "@countersign/execd";
import { visible } from "@countersign/sdk";
import { JailError, openWorkspaceJail } from "@countersign/server";
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
  /** What everything starts with. */
  readonly env: Readonly<Record<string, string>>;
  /** As it stands itself, without links. */
  readonly workspace: string;
  close(): Promise<void>;
}

/** The jail around all that `execd serve` is asked for. Refused in words where there can be none. */
export async function openJail({ logLevel, ...options }: JailOptions): Promise<OpenJail> {
  const opened = await openWorkspaceJail({ ...options, log: hubLog(logLevel) }).catch(refuse);
  const { workspace, temporary, held, env } = opened;
  return {
    ...{ workspace, env },
    jail: {
      roots: [
        { shown: workspace, directory: workspace },
        { shown: "/tmp", directory: temporary, held },
      ],
      starter: {
        async start({ uid, gid, ...request }) {
          if (uid === undefined && gid === undefined) return await opened.start(request);
          throw new Error("the jail has one user: uid and gid can't be chosen");
        },
      },
    },
    close: () => opened.close(),
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
