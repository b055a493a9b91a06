// Runs the tests with Node's own runner. `--deep` runs the exhaustive ones (*.deep.ts) instead, `--agents` those with real agents; a path
// runs only that. `--alone`: each file in a process of its own.
// Every skipped test is listed with its reason; in CI one that .ci/allowed-skips doesn't name fails the run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
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
const MOST_AGAIN = 3;
const alone = kind !== "test" || args.includes("--alone");
const lanes = alone ? [{ name: "alone", files, shared: false }] : planLanes(files, root);
const ended = [];
await Promise.all(Array.from({ length: AT_ONCE }, runLanes));
const status = await settle(ended.filter((lane) => lane.status !== 0));

async function runLanes() {
  for (let lane = lanes.shift(); lane; lane = lanes.shift())
    ended.push({ name: lane.name, status: await runTests(lane) });
}

/**
 * A few files that failed are run once more, by themselves: a test that fails only beside others, on a machine that is busy, is told and doesn't
 * stop what it has nothing to do with. What fails twice has failed, and so has whatever isn't known by its file, or is much.
 */
async function settle(broken) {
  if (broken.length === 0) return 0;
  const failed = broken.map(({ name }) => toldIn(name).filter((line) => line.failed));
  const again = [...new Set(failed.flat().map(fileOf))];
  const areKnown = failed.every((some) => some.length > 0) && !again.includes(undefined);
  if (!areKnown || again.length > MOST_AGAIN) return 1;
  console.log(`failed, and run once more by themselves: ${again.join(", ")}`);
  const last = await runTests({ name: "again", files: again, shared: false });
  if (last === 0)
    for (const test of failed.flat())
      console.log(`failed beside others, and passed by itself: ${fileOf(test)}: ${test.name}`);
  return last;
}

/** The one of ours that a test stands in, or that brought it along. */
function fileOf({ file, entryFile }) {
  return [file, entryFile].map((path) => relative(root, path ?? "")).find((path) => files.includes(path));
}

function toldIn(name) {
  const lines = readFileSync(join(scratch, `${name}.jsonl`), "utf8").split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/** What it says comes when it has ended, whole; of what is run by itself, at once. */
async function runTests({ name, files: some, shared }) {
  const live = lanes.length === 0 && ended.length === 0;
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
      "--test-reporter=./scripts/told-reporter.mjs",
      `--test-reporter-destination=${join(scratch, `${name}.jsonl`)}`,
      ...some,
    ],
    { cwd: root, env, stdio: ["inherit", live ? "inherit" : "pipe", "inherit"] },
  );
  const chunks = [];
  child.stdout?.on("data", (chunk) => chunks.push(chunk));
  const [code] = await once(child, "close");
  process.stdout.write(Buffer.concat(chunks));
  return code ?? 1;
}

const skips = globSync("*.jsonl", { cwd: scratch })
  .flatMap((name) => toldIn(name.replace(/\.jsonl$/, "")))
  .filter(({ failed }) => !failed);
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
process.exit(status);
