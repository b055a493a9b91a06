import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

const FOLDER = new URL("frozen/", import.meta.url);

/**
 * Compares the text with the frozen file of that name. `COUNTERSIGN_FREEZE=1 npm test -- test/fence/<file>` writes the file instead: a commit that
 * does so says which bytes change, and why.
 */
export function assertFrozen(name: string, text: string): void {
  const file = new URL(name, FOLDER);
  if (process.env.COUNTERSIGN_FREEZE === "1") writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"), `${name} differs from its frozen form`);
}

export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
