import { existsSync, readFileSync } from "node:fs";

const ROOT = new URL("../../../../shared/data/agent-receipts/", import.meta.url);

/** For a test's `skip`: the peer's vectors stay beside the repository, and aren't everywhere. */
export const WITHOUT_DATA: string | false = existsSync(ROOT)
  ? false
  : "the vectors of Agent Receipts are beside the repository only where they are shared";

export function dataText(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

// The files are the peer's, and their shapes are what the tests are about.
// biome-ignore lint/suspicious/noExplicitAny: every test asserts what it takes from them
export function dataJson(path: string): any {
  return JSON.parse(dataText(path));
}

export function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
