import { readFileSync, renameSync, writeFileSync } from "node:fs";
import * as z from "zod";

const aliveSchema = z.object({
  atMs: z.number(),
  /** Blocked packets of which was heard, by number. */
  blocked: z.record(z.string(), z.int()),
});
export type Alive = z.infer<typeof aliveSchema>;

/** The last moment of which it is known that somebody looked. Not waited for: what a power cut takes makes that moment an earlier one. */
export function writeAlive(path: string, alive: Alive): void {
  writeFileSync(`${path}.new`, JSON.stringify(alive), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Undefined: nobody did, or it can't be read. */
export function readAlive(path: string): Alive | undefined {
  try {
    return aliveSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    // Not there, or cut by a power cut: then not even that much is known.
    return undefined;
  }
}
