import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../errors/index.ts";

/** Everything that Countersign keeps, under `COUNTERSIGN_HOME`. */
export interface Home {
  readonly dir: string;
  readonly config: string;
  readonly profiles: string;
  readonly database: string;
  readonly keys: string;
  readonly token: string;
  readonly audit: string;
  /** Checkpoints of the ledger, unless they are kept elsewhere. */
  readonly witness: string;
  readonly run: string;
  readonly socket: string;
  /** Where emitters send their frames, unless config puts it elsewhere. */
  readonly recorderSocket: string;
  /** With a recorder of its own: what the hub keeps of it, and what it keeps of the hub. */
  readonly recorderPairing: string;
  readonly hubPairing: string;
  /** Where a running server can be reached, for the CLI. */
  readonly address: string;
}

export function homeAt(dir: string): Home {
  const run = join(dir, "run");
  const keys = join(dir, "keys");
  return {
    dir,
    config: join(dir, "config.json"),
    profiles: join(dir, "profiles"),
    database: join(dir, "countersign.db"),
    keys,
    token: join(keys, "token"),
    audit: join(dir, "audit.jsonl"),
    witness: join(dir, "witness.jsonl"),
    run,
    socket: join(run, "hub.sock"),
    recorderSocket: join(run, "recorder.sock"),
    recorderPairing: join(keys, "recorder.json"),
    hubPairing: join(keys, "hub.json"),
    address: join(run, "address"),
  };
}

/** Makes the directories, for this user alone. Refuses a home that can't be written, before anything else is touched. */
export function prepareHome(dir: string): Home {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const home = homeAt(realpathSync(dir));
    refuseShared(home);
    for (const folder of [home.dir, home.profiles, home.keys, home.run]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    }
    return home;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      "HOME_UNWRITABLE",
      `The home ${dir} can't be used (${why}). Set COUNTERSIGN_HOME to a directory that you own.`,
      { cause },
    );
  }
}

/** A directory that others may use, and that isn't ours already, isn't made private: it might be /tmp. */
function refuseShared(home: Home): void {
  const openToOthers = (statSync(home.dir).mode & 0o077) !== 0;
  if (!openToOthers || existsSync(home.database) || readdirSync(home.dir).length === 0) return;
  throw new Error("it holds other things and is open to other users");
}
