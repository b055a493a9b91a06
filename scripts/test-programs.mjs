// Bundles the programs that tests start hundreds of times.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, root } from "../packages/cli/publish/bundle.mjs";

const BUNDLES = join(root, "node_modules/.cache/countersign-programs");
/** Another run of the tests may still use one that isn't older. */
const KEPT_MS = 24 * 60 * 60 * 1000;

const PROGRAMS = [
  "packages/cli/src/main.ts",
  ...["fault", "recorder", "serve"].map((name) => `packages/hub/test/programs/${name}-child.ts`),
];

/** The directory with a file for each program, made from the sources as they are now. It is named after what is in it: none is ever stale. */
export async function bundleTestPrograms() {
  const addressOf = (path) => JSON.stringify(pathToFileURL(join(root, path)).href);
  const files = await bundle({ programs: PROGRAMS, addressOf });
  const hash = createHash("sha256");
  for (const { fileName, code } of files) hash.update(`${fileName}\0${code}\0`);
  const dir = join(BUNDLES, hash.digest("hex").slice(0, 16));
  if (!existsSync(dir)) writeBundle(dir, files);
  return dir;
}

/** All of it or nothing: another run may want the same at the same time. */
function writeBundle(dir, files) {
  mkdirSync(BUNDLES, { recursive: true });
  for (const name of readdirSync(BUNDLES)) {
    const path = join(BUNDLES, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
  // Tests become other users, who have to read it: not one that is made for this user alone.
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
