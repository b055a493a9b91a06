import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "../log.ts";
import { removeWhole } from "./places/remove-whole.ts";

const NAME = "countersign-jail-";

/** A directory for what a jail has besides its workspace, its `/tmp` included. Ours alone, and gone with the jail. */
export class JailDirectory {
  readonly path: string;
  readonly #log: Log;

  private constructor(path: string, log: Log) {
    this.path = path;
    this.#log = log;
  }

  static make(log: Log): JailDirectory {
    return new JailDirectory(mkdtempSync(join(realpathSync(tmpdir()), NAME)), log);
  }

  /** Where something can't be removed, that is for whoever reads the log: nobody who ends a jail could do more. */
  async remove(): Promise<void> {
    try {
      await removeWhole(this.path);
    } catch (cause) {
      this.#log.warn({ err: cause, path: this.path }, "a jail has ended, and its directory can't be removed");
    }
  }
}
