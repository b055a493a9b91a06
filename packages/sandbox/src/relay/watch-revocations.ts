import { readFileSync, statSync } from "node:fs";
import { type Revocations, readRevocations } from "../ca/index.ts";
import { writeAtomically } from "../disk/index.ts";
import type { Log } from "../errors/index.ts";

interface WatchOptions {
  readonly path: string;
  /** Where the newest that was in force is kept, so that an older one isn't taken at the next start. */
  readonly newest: string;
  /** The CA's certificate, PEM. */
  readonly ca: string;
  readonly everyMs: number;
  readonly log: Log;
  readonly onChange: () => void;
}

const OLDER = "it is older than the one in force";

/**
 * The list of what is revoked, as it is now. It is looked at again and again rather than watched: it may come by a rename, over a mount, or
 * from another machine. One that can't be read, or is older than the one in force, changes nothing, and is told. What was revoked once stays
 * revoked for as long as this runs, also where a newer list doesn't name it any more: nothing that the CA says takes a revocation back.
 */
export class RevocationWatch {
  readonly #options: WatchOptions;
  readonly #timer: NodeJS.Timeout;
  #inForce: Revocations;
  #seen = "";
  /** Why the newest isn't in force. */
  problem: string | undefined;

  /** Throws where there's none: without it nobody could be kept out. */
  constructor(options: WatchOptions) {
    this.#options = options;
    const list = readRevocations(readFileSync(options.path, "utf8"), options.ca);
    this.#inForce = this.#kept() ?? list;
    this.#look();
    this.#timer = setInterval(() => this.#look() && options.onChange(), options.everyMs);
    this.#timer.unref();
  }

  isRevoked(serial: string): boolean {
    return this.#inForce.serials.has(serial);
  }

  get count(): number {
    return this.#inForce.serials.size;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Whether another list is in force than before. */
  #look(): boolean {
    try {
      const stamp = stampOf(this.#options.path);
      if (stamp === this.#seen) return false;
      const text = readFileSync(this.#options.path, "utf8");
      const list = readRevocations(text, this.#options.ca);
      if (list.issuedAtMs < this.#inForce.issuedAtMs) throw new Error(OLDER);
      this.#seen = stamp;
      this.#inForce = { ...list, serials: new Set([...this.#inForce.serials, ...list.serials]) };
      this.problem = undefined;
      this.#options.log.info({ revoked: this.count }, "the list of what is revoked is in force");
      this.#keep(text);
      return true;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (why !== this.problem)
        this.#options.log.error({ path: this.#options.path, why }, "the newest list of what is revoked isn't in force");
      this.problem = why;
      return false;
    }
  }

  /** It is in force all the same where the disk doesn't take it. */
  #keep(text: string): void {
    try {
      writeAtomically(this.#options.newest, text);
    } catch (cause) {
      this.#options.log.error({ err: cause }, "the list of what is revoked can't be kept for the next start");
    }
  }

  /** What a relay before this one had in force; undefined where there's none, or none of this CA. */
  #kept(): Revocations | undefined {
    try {
      return readRevocations(readFileSync(this.#options.newest, "utf8"), this.#options.ca);
    } catch {
      return undefined;
    }
  }
}

/** Another file, another time of change or another length: another list. */
function stampOf(path: string): string {
  const { ino, mtimeMs, ctimeMs, size } = statSync(path);
  return [ino, mtimeMs, ctimeMs, size].join();
}
