// Runs the tests with Node's own runner. `--deep` runs the exhaustive ones (*.deep.ts) instead, `--agents` those with real agents; a path
// runs only that. `--alone`: each file in a process of its own.
// Every skipped test is listed with its reason; in CI one that .ci/allowed-skips doesn't name fails the run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { planLanes } from "./lanes.mjs";
import { bundleTestPrograms } from "./test-programs.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);
const deep = args.includes("--deep");
const kind = deep ? "deep" : args.includes("--agents") ? "agents" : "test";
const named = args.filter((arg) => !arg.startsWith("--"));

const patterns = ["packages/*/src/**", "packages/*/test/**", "test/**"].map((at) => `${at}/*.${kind}.ts`);
const files = named.length > 0 ? named : globSync(patterns, { cwd: root }).sort();
const scratch = mkdtempSync(join(tmpdir(), "countersign-test-"));

// Most of a short process is reading TypeScript: for the hundreds that the tests start it is read once, and compiled once.
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile"),
  COUNTERSIGN_BUNDLED_PROGRAMS: await bundleTestPrograms(),
  COUNTERSIGN_PROOF_SEED: process.env.COUNTERSIGN_PROOF_SEED ?? "20251",
  ...(deep ? { COUNTERSIGN_DEEP: "1" } : {}),
};

/** Many times what the longest takes on a quiet machine: one that hangs is told by its name. */
const LONGEST_TEST_MS = (kind === "test" ? 5 : 25) * 60_000;

// Hubs and commands that start and wait leave two cores idle for a third of the time.
const AT_ONCE = 4;
const alone = kind !== "test" || args.includes("--alone");
const lanes = alone ? [{ name: "alone", files, shared: false }] : planLanes(files, root);
const statuses = [];
await Promise.all(Array.from({ length: AT_ONCE }, runLanes));

async function runLanes() {
  for (let lane = lanes.shift(); lane; lane = lanes.shift()) statuses.push(await runTests(lane));
}

/** What it says comes when it has ended, whole; of what is run by itself, at once. */
async function runTests({ name, files: some, shared }) {
  const live = lanes.length === 0 && statuses.length === 0;
  const child = spawn(
    process.execPath,
    [
      // Deep tests look at the heap after a collection.
      ...(deep ? ["--expose-gc"] : []),
      "--import=./scripts/end-when-done.mjs",
      "--import=./scripts/same-cases.mjs",
      "--test",
      `--test-timeout=${LONGEST_TEST_MS}`,
      ...(shared
        ? ["--test-isolation=none", "--import=./scripts/left-as-found.mjs"]
        : [`--test-concurrency=${alone ? 3 : 1}`]),
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      "--test-reporter=./scripts/skip-reporter.mjs",
      `--test-reporter-destination=${join(scratch, `${name}.jsonl`)}`,
      ...some,
    ],
    { cwd: root, env, stdio: ["inherit", live ? "inherit" : "pipe", "inherit"] },
  );
  const chunks = [];
  child.stdout?.on("data", (chunk) => chunks.push(chunk));
  const [status] = await once(child, "close");
  process.stdout.write(Buffer.concat(chunks));
  return status ?? 1;
}

const skips = globSync("*.jsonl", { cwd: scratch }).flatMap((name) =>
  readFileSync(join(scratch, name), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line)),
);
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
process.exit(statuses.find((status) => status !== 0) ?? 0);
