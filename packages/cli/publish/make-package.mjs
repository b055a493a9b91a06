// `npm run package`: makes dist/ (or the directory given), the published package of the command, with nearly all of its code in a few files
// (docs/publishing.md).
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { bundle, LEFT_OUT, root } from "./bundle.mjs";
import { noticesOf } from "./third-party-notices.mjs";

const MAIN = "packages/cli/src/main.ts";
const DIST = resolve(process.argv[2] ?? join(root, "dist"));
/** They keep their places relative to each other, because modules find them from the place of their source. */
const COPIED = ["packages/cli/hook", "packages/web/dist"];

const [own, command, ...others] = [
  ".",
  "packages/cli",
  "packages/hub",
  "packages/native",
  "packages/sandbox",
  "packages/execd-dev",
].map(readPackage);

rmSync(DIST, { recursive: true, force: true });
const files = await bundle({
  programs: [MAIN],
  addressOf: (path, bundleUrl) => `new URL(${JSON.stringify(`../${shipped(path)}`)}, ${bundleUrl}).href`,
});
for (const { fileName, code } of files) write(`programs/${fileName}`, code);
for (const path of COPIED) cpSync(join(root, path), join(DIST, shipped(path)), { recursive: true });
for (const name of ["LICENSE", "README.md"]) cpSync(join(root, name), join(DIST, name));
const bin = readFileSync(join(root, "packages/cli/bin/countersign.js"), "utf8");
if (!bin.includes('"../src/main.ts"')) throw new Error("countersign.js doesn't start main.ts");
write("cli/bin/countersign.js", bin.replace('"../src/main.ts"', '"../../programs/cli_src_main.js"'), 0o755);
write("cli/package.json", `${JSON.stringify({ version: command.version, type: command.type })}\n`);
write("THIRD-PARTY-NOTICES.txt", noticesOf(files));
write("package.json", `${JSON.stringify(manifest(), null, 2)}\n`);

function manifest() {
  const { version, license, type } = command;
  const { name, description, optionalDependencies } = own;
  return {
    ...{ name, version, description, license, type },
    // An older Node starts the pinned one: bin/countersign.js.
    engines: { node: ">=18" },
    bin: { countersign: "cli/bin/countersign.js" },
    dependencies: Object.fromEntries(LEFT_OUT.map((dependency) => [dependency, versionOf(dependency)])),
    optionalDependencies,
  };
}

function versionOf(dependency) {
  const version = others.map(({ dependencies }) => dependencies[dependency]).find(Boolean);
  if (version) return version;
  throw new Error(`no package depends on ${dependency}`);
}

function shipped(path) {
  return path.replace(/^packages\//, "");
}

function write(path, text, mode = 0o644) {
  mkdirSync(dirname(join(DIST, path)), { recursive: true });
  writeFileSync(join(DIST, path), text, { mode });
}

function readPackage(dir) {
  return JSON.parse(readFileSync(join(root, dir, "package.json"), "utf8"));
}
