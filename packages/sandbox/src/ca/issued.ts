import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../disk/index.ts";
import { CaError } from "./ca-error.ts";

/** What was issued, and to whom. Its serial is hexadecimal. */
export interface Issued {
  readonly serial: string;
  readonly kind: "sandbox" | "relay";
  /** The sandbox's id, or the relay's first host. */
  readonly name: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly revokedAtMs: number | null;
}

/** So long after they ended, certificates are still listed. */
const KEPT_MS = 30 * 86_400_000;
const NAME = /^([0-9a-f]{2,64})\.json$/;

/** A file for each certificate, so that issuing many at once costs no rewriting. */
export class IssuedCertificates {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Oldest first. */
  list(): Issued[] {
    const serials = readdirSync(this.#dir).flatMap((name) => NAME.exec(name)?.[1] ?? []);
    return serials.map((serial) => this.#read(serial)).sort((one, other) => one.notBeforeMs - other.notBeforeMs);
  }

  write(issued: Issued): void {
    writeAtomically(join(this.#dir, `${issued.serial}.json`), `${JSON.stringify(issued)}\n`);
  }

  forgetOld(nowMs: number): void {
    for (const { serial, notAfterMs } of this.list()) {
      if (notAfterMs + KEPT_MS < nowMs) rmSync(join(this.#dir, `${serial}.json`), { force: true });
    }
  }

  #read(serial: string): Issued {
    const path = join(this.#dir, `${serial}.json`);
    try {
      const issued = JSON.parse(readFileSync(path, "utf8")) as Issued;
      if (issued.serial !== serial || !Number.isFinite(issued.notAfterMs))
        throw new Error("it isn't about this serial");
      return issued;
    } catch (cause) {
      // Skipping one would take its revocation off the list.
      throw new CaError("CA_INVALID", `${path} can't be read (${(cause as Error).message}). Restore it.`, { cause });
    }
  }
}
