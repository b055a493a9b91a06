// Node's test runner loads this once, before the first file. It bundles the programs that tests start hundreds of times, so that each start reads one
// compiled file instead of a thousand TypeScript modules.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, root } from "../../packages/cli/publish/bundle.mjs";

const BUNDLES = join(root, "node_modules/.cache/countersign-programs");
/** Another run may still use a bundle younger than this. */
const KEPT_MS = 24 * 60 * 60 * 1000;

const PROGRAMS = [
  "packages/cli/src/main.ts",
  ...["fault", "recorder", "serve"].map((name) => `packages/hub/test/programs/${name}-child.ts`),
];

/** Test files inherit this environment. */
export async function globalSetup() {
  process.env.NODE_COMPILE_CACHE = join(root, "node_modules/.cache/node-compile");
  process.env.COUNTERSIGN_BUNDLED_PROGRAMS = await bundleTestPrograms();
}

/** Returns a directory with a file for each program, bundled from the present sources. Its name is a hash of its content, so it is never stale. */
async function bundleTestPrograms() {
  const addressOf = (path) => JSON.stringify(pathToFileURL(join(root, path)).href);
  const files = await bundle({ programs: PROGRAMS, addressOf });
  const hash = createHash("sha256");
  for (const { fileName, code } of files) hash.update(`${fileName}\0${code}\0`);
  const dir = join(BUNDLES, hash.digest("hex").slice(0, 16));
  if (!existsSync(dir)) writeBundle(dir, files);
  return dir;
}

/** Writes all files or none: another run may write the same bundle at the same time. */
function writeBundle(dir, files) {
  mkdirSync(BUNDLES, { recursive: true });
  for (const name of readdirSync(BUNDLES)) {
    const path = join(BUNDLES, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
  // Tests run as other users too, who must be able to read it: mkdtemp would make it private.
  const partial = `${dir}.${process.pid}`;
  mkdirSync(partial);
  for (const { fileName, code } of files) writeFileSync(join(partial, fileName), code);
  writeFileSync(join(partial, "package.json"), '{ "type": "module" }\n');
  try {
    renameSync(partial, dir);
  } catch (cause) {
    if (!existsSync(dir)) throw cause;
    rmSync(partial, { recursive: true });
  }
}
