// Runs the tests with Node's own runner. `--deep` runs the exhaustive ones (*.deep.ts) instead; a path runs only that.
// Every skipped test is listed with its reason; in CI one that .ci/allowed-skips doesn't name fails the run.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);
const deep = args.includes("--deep");
const named = args.filter((arg) => !arg.startsWith("--"));

const patterns = ["packages/*/src/**", "packages/*/test/**", "test/**"].map(
  (at) => `${at}/*.${deep ? "deep" : "test"}.ts`,
);
const files = named.length > 0 ? named : globSync(patterns, { cwd: root }).sort();
const scratch = mkdtempSync(join(tmpdir(), "countersign-test-"));
const skipFile = join(scratch, "skips.jsonl");

// Most of a short process is reading TypeScript: the hundreds that the tests start do it once for all of them.
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile"),
  ...(deep ? { COUNTERSIGN_DEEP: "1" } : {}),
};

const run = spawnSync(
  process.execPath,
  [
    // Deep tests look at the heap after a collection.
    ...(deep ? ["--expose-gc"] : []),
    "--test",
    // Hubs and commands that start and wait leave a third of two cores idle.
    "--test-concurrency=3",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=./scripts/skip-reporter.mjs",
    `--test-reporter-destination=${skipFile}`,
    ...files,
  ],
  { cwd: root, env, stdio: "inherit" },
);

const skips = existsSync(skipFile)
  ? readFileSync(skipFile, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  : [];
rmSync(scratch, { recursive: true, force: true });
for (const { name, reason } of skips) console.log(`skipped: ${name}: ${reason}`);

const allowed = readFileSync(join(root, ".ci/allowed-skips"), "utf8")
  .split("\n")
  .map((line) => line.split("#")[0].trim())
  .filter(Boolean);
const refused = skips.filter(({ name }) => !allowed.includes(name));
if (process.env.CI && refused.length > 0) {
  console.error(`${refused.length} skipped tests aren't named in .ci/allowed-skips.`);
  process.exit(1);
}
if (files.length === 0) {
  console.error("No tests were found.");
  process.exit(1);
}
process.exit(run.status ?? 1);
