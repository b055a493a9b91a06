// `npm run build`: compiles each library into its dist/, the directory that is published (docs/publishing.md).
// In the repository `exports` names sources, so that no program has to start Node with a condition to find them. The package.json in dist/ names
// the compiled files.
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const projects = globSync(join(root, "packages/*/tsconfig.build.json"));
for (const project of projects) rmSync(join(dirname(project), "dist"), { recursive: true, force: true });
const tsc = join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [tsc, "--build", ...projects], { stdio: ["ignore", 2, 2] });
if (status !== 0) process.exit(1);
for (const project of projects) writePackage(dirname(project));

function writePackage(dir) {
  const { devDependencies, scripts, exports, ...manifest } = JSON.parse(
    readFileSync(join(dir, "package.json"), "utf8"),
  );
  const compiled = Object.entries(exports).map(([entry, source]) => [entry, compiledFrom(source)]);
  const published = { ...manifest, exports: Object.fromEntries(compiled), files: ["**/*.js", "**/*.d.ts"] };
  writeFileSync(join(dir, "dist/package.json"), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(dir, "README.md"), join(dir, "dist/README.md"));
  copyFileSync(join(root, "LICENSE"), join(dir, "dist/LICENSE"));
}

/** `./src/text/index.ts` is `./text/index.js` in dist/. */
function compiledFrom(source) {
  return source.replace("./src/", "./").replace(/\.ts$/, ".js");
}
