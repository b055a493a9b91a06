import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where the agents are installed, or would be: a folder for each lockfile, beside the repository. */
export function agentsDir(): string {
  if (process.env.COUNTERSIGN_TEST_AGENTS) return process.env.COUNTERSIGN_TEST_AGENTS;
  const lock = readFileSync(new URL("package-lock.json", import.meta.url));
  const version = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "countersign-test-agents", version);
}
