// Runs Node's test runner on test files, folders or globs: `npm test -- packages/policy`. Without a path: on all.
//   --unit    the packages without processes, files and sockets
//   --deep    the exhaustive tests, and the exhaustive parts of the others
//   --agents  tests with real agents
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);
const [unit, deep, agents] = ["--unit", "--deep", "--agents"].map((kind) => args.includes(kind));
const paths = args.filter((arg) => !arg.startsWith("--"));

const endings = agents ? ["agents"] : deep ? ["deep", "deep.test"] : ["test"];
const ALL = unit ? ["packages/{policy,protocol,receipts,sdk,vocabulary,web}"] : ["packages", "test"];
// Every test of the page has an exhaustive part: other widths, dark, axe.
const whole = deep && paths.length === 0 ? ["test/page/*.test.ts"] : [];
const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() || path.endsWith(".ts");
const globs = (paths.length > 0 ? paths : ALL).flatMap((path) =>
  isFile(path) ? [path] : endings.map((ending) => `${path.replace(/\/$/, "")}/**/*.${ending}.ts`),
);

const reporters = ["spec", "./test/runner/skips.mjs"];
const options = [
  ...(deep ? ["--expose-gc"] : []),
  ...["--import=./test/runner/each-file.mjs", "--test", "--test-global-setup=./test/runner/setup.mjs"],
  ...(unit ? ["--test-isolation=none"] : ["--test-concurrency=3"]),
  `--test-timeout=${(deep || agents ? 25 : 5) * 60_000}`,
  ...reporters.flatMap((name) => [`--test-reporter=${name}`, "--test-reporter-destination=stdout"]),
];
const env = { ...process.env, ...(deep ? { COUNTERSIGN_DEEP: "1" } : {}) };
const run = spawnSync(process.execPath, [...options, ...globs, ...whole], { cwd: root, stdio: "inherit", env });
process.exit(run.status ?? 1);
