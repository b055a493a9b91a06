// Runs before `npm start` and `npm test`, under whatever Node the machine has: plain JavaScript, no dependency.
// Installs only when the lockfile is newer than what is installed, and builds the page only when a source is newer than what is built, so that a
// second start is immediate.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";

const root = new URL("..", import.meta.url);

function modifiedMs(file) {
  return statSync(new URL(file, root), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Of the newest file below, or of the directory itself: what was deleted shows there. */
function newestMs(path) {
  if (!statSync(new URL(path, root)).isDirectory()) return modifiedMs(path);
  const names = readdirSync(new URL(path, root), { recursive: true });
  return Math.max(...["", ...names].map((name) => modifiedMs(`${path}/${name}`)));
}

function npm(args, doing) {
  process.stderr.write(`${doing} (once)…\n`);
  const { status, error } = spawnSync("npm", args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  process.stderr.write(`npm ${args.join(" ")} failed${error ? `: ${error.message}` : ""}; nothing was started.\n`);
  process.exit(1);
}

if (modifiedMs("node_modules/.package-lock.json") < modifiedMs("package-lock.json")) {
  // Builds the page, too: `prepare`.
  npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"], "Installing dependencies");
}
const PAGE_SOURCES = [
  "web/src",
  "web/public",
  "web/index.html",
  "web/vite.config.ts",
  "web/vite.worker.config.ts",
  "protocol/src",
  "sdk/src",
  "policy/src",
  "receipts/src",
];
const builtMs = modifiedMs("packages/web/dist/index.html");
if (PAGE_SOURCES.some((source) => newestMs(`packages/${source}`) > builtMs)) {
  npm(["run", "--silent", "build", "-w", "@countersign/web", "--", "--logLevel=warn"], "Building the page");
}
