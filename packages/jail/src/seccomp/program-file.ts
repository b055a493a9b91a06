import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A program to hand to bwrap, which reads it from a descriptor up to its end. Descriptors that were copied share how far
 * they were read, so every run needs one that was opened for it.
 */
export class ProgramFile {
  #fd: number | undefined;

  constructor(program: Buffer) {
    const dir = mkdtempSync(join(tmpdir(), "countersign-seccomp-"));
    try {
      const path = join(dir, "program");
      writeFileSync(path, program, { mode: 0o400, flag: "wx" });
      this.#fd = openSync(path, "r");
    } finally {
      // Without a name nobody else finds it, and nothing is left when the hub is killed.
      rmSync(dir, { recursive: true, force: true });
    }
  }

  /** The caller closes it once the child is started. */
  open(): number {
    return openSync(`/proc/self/fd/${this.#fd}`, "r");
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
