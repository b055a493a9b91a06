// Runs before `npm start` and `npm test`, under any Node from 18: plain JavaScript without dependencies.
// Installs only if the lockfile is newer than the installation, and builds the page only if a source is newer than the build: a second start is immediate.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";

const root = new URL("..", import.meta.url);

function modifiedMs(file) {
  return statSync(new URL(file, root), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Returns the time of the newest file or directory below the path. A deletion changes its directory's. */
function newestMs(path) {
  if (!statSync(new URL(path, root)).isDirectory()) return modifiedMs(path);
  const names = readdirSync(new URL(path, root), { recursive: true });
  return Math.max(...["", ...names].map((name) => modifiedMs(`${path}/${name}`)));
}

/** Runs npm silently. Its output, and that of the tools it starts, is printed only if it fails. */
function npm(args, doing) {
  process.stderr.write(`${doing}… `);
  const startMs = Date.now();
  const { status, error, stdout, stderr } = spawnSync("npm", args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 ** 2,
  });
  if (status === 0) {
    process.stderr.write(`done in ${Math.ceil((Date.now() - startMs) / 1000)} s\n`);
    return;
  }
  process.stderr.write(
    `\n${stdout ?? ""}${stderr ?? ""}npm ${args.join(" ")} failed${error ? `: ${error.message}` : ""}. Nothing was started.\n`,
  );
  process.exit(1);
}

if (modifiedMs("node_modules/.package-lock.json") < modifiedMs("package-lock.json")) {
  // Also builds the page: `prepare`.
  npm(
    ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
    "Installing dependencies and building the page (once, about a minute)",
  );
}
const PAGE_SOURCES = [
  "web/src",
  "web/public",
  "web/index.html",
  "web/vite.config.ts",
  "web/vite.worker.config.ts",
  "vocabulary/src",
  "protocol/src",
  "sdk/src",
  "policy/src",
  "receipts/src",
];
const builtMs = modifiedMs("packages/web/dist/index.html");
if (PAGE_SOURCES.some((source) => newestMs(`packages/${source}`) > builtMs)) {
  npm(["run", "--silent", "build", "-w", "@countersign/web", "--", "--logLevel=warn"], "Building the page");
}
