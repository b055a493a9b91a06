import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { isSandboxId } from "../ca/index.ts";
import { writeAtomically } from "../disk/index.ts";
import { MOST_NUMBERS } from "./rules/index.ts";

/** How a sandbox is observed, or was. */
const stateSchema = z.object({
  target: z.string(),
  allow: z.array(z.string()).optional(),
  open: z.array(z.string()),
  /** Flows that were counted under numbers that are done with, and what sets the sum right where a count was lost. */
  offset: z.int(),
  /** Under which numbers its flows are marked, the newest last. `key`: of no other observation ever. */
  observations: z.array(z.object({ number: z.int().min(1).max(MOST_NUMBERS), key: z.string() })),
  sinceMs: z.number(),
  /** Since when nobody looks, because somebody said so. */
  detachedAtMs: z.number().optional(),
});
export type SandboxState = z.infer<typeof stateSchema>;

/** What is kept of sandboxes, in a directory of an observer's own. */
export class SandboxStates {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = join(dir, "sandboxes");
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
  }

  dirOf(sandboxId: string): string {
    const dir = join(this.#dir, sandboxId);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return dir;
  }

  /** Throws where one can't be read: nothing is observed on a guess. */
  readAll(): Map<string, SandboxState> {
    const ids = readdirSync(this.#dir).filter(isSandboxId);
    return new Map(
      ids.flatMap((id) => {
        const state = this.#read(id);
        return state ? [[id, state] as const] : [];
      }),
    );
  }

  write(sandboxId: string, state: SandboxState): void {
    writeAtomically(join(this.dirOf(sandboxId), "observed.json"), JSON.stringify(state));
  }

  #read(id: string): SandboxState | undefined {
    try {
      return stateSchema.parse(JSON.parse(readFileSync(join(this.#dir, id, "observed.json"), "utf8")));
    } catch (cause) {
      // Made, and nothing written yet: nobody looked.
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new Error(`${join(this.#dir, id, "observed.json")} can't be read`, { cause });
    }
  }
}
