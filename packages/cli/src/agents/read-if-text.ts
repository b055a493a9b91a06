import { readFileSync } from "node:fs";

/** Undefined where it can't be read, for whatever reason: of somebody else's file, only what it says counts. */
export function readIfText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
