// Runs the tests with Node's own runner. `--deep` runs the exhaustive ones (*.deep.ts) instead, `--agents` those with real agents; a path
// runs only that.
// Every skipped test is listed with its reason; in CI one that .ci/allowed-skips doesn't name fails the run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);
const deep = args.includes("--deep");
const kind = deep ? "deep" : args.includes("--agents") ? "agents" : "test";
const named = args.filter((arg) => !arg.startsWith("--"));

const patterns = ["packages/*/src/**", "packages/*/test/**", "test/**"].map((at) => `${at}/*.${kind}.ts`);
const files = named.length > 0 ? named : globSync(patterns, { cwd: root }).sort();
const scratch = mkdtempSync(join(tmpdir(), "countersign-test-"));

// Most of a short process is reading TypeScript: the hundreds that the tests start do it once for all of them.
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile"),
  ...(deep ? { COUNTERSIGN_DEEP: "1" } : {}),
};

// These rooms keep no state and start few processes: in one process of their own their tests cost half.
const PURE = /^packages\/(policy|receipts|sdk)\//;
const pure = deep ? [] : files.filter((file) => PURE.test(file));
const rest = files.filter((file) => !pure.includes(file));
const runs = [
  // Hubs and commands that start and wait leave a third of two cores idle.
  runTests(rest, ["--test-concurrency=3"], "inherit"),
  // What it says comes after the others, whole.
  runTests(pure, ["--test-isolation=none"], "pipe"),
];
const statuses = [];
for (const { status, said } of await Promise.all(runs)) {
  process.stdout.write(said);
  statuses.push(status);
}

/** `said`: what it wrote where its output is a pipe. */
async function runTests(some, options, output) {
  if (some.length === 0) return { status: 0, said: "" };
  const child = spawn(
    process.execPath,
    [
      // Deep tests look at the heap after a collection.
      ...(deep ? ["--expose-gc"] : []),
      "--test",
      ...options,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      "--test-reporter=./scripts/skip-reporter.mjs",
      `--test-reporter-destination=${join(scratch, `${output}.jsonl`)}`,
      ...some,
    ],
    { cwd: root, env, stdio: ["inherit", output, "inherit"] },
  );
  const chunks = [];
  child.stdout?.on("data", (chunk) => chunks.push(chunk));
  const [status] = await once(child, "close");
  return { status: status ?? 1, said: Buffer.concat(chunks) };
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
