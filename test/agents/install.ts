// Installs the agents that these tests drive, once for each lockfile, into a cache beside the repository: they are too large for everybody's
// node_modules. What can't be installed is told, and the tests that need it skip.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentsDir } from "./agents-dir.ts";

const GIVE_UP_MS = 4 * 60_000;

function install(dir: string): string | undefined {
  mkdirSync(dir, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) {
    copyFileSync(new URL(name, import.meta.url), join(dir, name));
  }
  // Not `ci`: that wants every platform's packages in the lockfile, and a registry may have only some of them.
  const npm = spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: dir,
    stdio: ["ignore", 2, 2],
    timeout: GIVE_UP_MS,
  });
  return npm.status === 0 ? undefined : (npm.error?.message ?? `npm ended with ${npm.status ?? npm.signal}`);
}

const dir = agentsDir();
const done = join(dir, "installed");
if (!process.env.COUNTERSIGN_TEST_AGENTS && !existsSync(done)) {
  process.stderr.write("Installing the agents that are tested with (once, 1.3 GB)…\n");
  const failure = install(dir);
  if (failure === undefined) writeFileSync(done, "");
  else process.stderr.write(`They couldn't be installed: ${failure}. What needs them is skipped.\n`);
}
