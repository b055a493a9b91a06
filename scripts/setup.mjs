// Runs before `npm start` and `npm test`, under whatever Node the machine has: plain JavaScript, no dependency.
// Installs only when the lockfile is newer than what is installed, so that a second start is immediate.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";

const root = new URL("..", import.meta.url);

function modifiedMs(file) {
  return statSync(new URL(file, root), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (modifiedMs("node_modules/.package-lock.json") < modifiedMs("package-lock.json")) {
  process.stderr.write("Installing dependencies (once)…\n");
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (npm.status !== 0) {
    process.stderr.write(`npm ci failed${npm.error ? `: ${npm.error.message}` : ""}; nothing was started.\n`);
    process.exit(1);
  }
}
