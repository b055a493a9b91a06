import assert from "node:assert/strict";
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { before, test } from "node:test";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { dependenciesOf, type Packed, pack, readManifest, root, run } from "./packed.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-libraries-")));
const user = join(scratch, "user");
let libraries: readonly Packed[] = [];

before(async () => {
  await run(process.execPath, [join(root, "scripts/build-libraries.mjs")]);
  const built = globSync(join(root, "packages/*/dist/package.json")).map((path) => join(path, ".."));
  libraries = await pack(built, join(scratch, "packed"));
  const needed = new Set([join(root, "node_modules/@types/node"), join(root, "node_modules/undici-types")]);
  for (const dir of built) dependenciesOf(dir, needed);
  const others = await pack([...needed], join(scratch, "others"));
  mkdirSync(user);
  writeFileSync(join(user, "package.json"), '{ "type": "module" }\n');
  const tarballs = [...libraries, ...others].map(({ tarball }) => tarball);
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", ...tarballs], {
    cwd: user,
    env: { ...process.env, npm_config_cache: join(scratch, "cache") },
  });
});

test.after(() => rmSync(scratch, { recursive: true, force: true }));

/** As an importer writes them. */
function entryPoints(): string[] {
  return libraries.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {}).map((entry) => manifest.name + entry.slice(1)),
  );
}

test("each library packs the files that are committed in test/published", (t) => {
  assert.deepEqual(libraries.map(({ manifest }) => manifest.name).sort(), [
    "@countersign/policy",
    "@countersign/protocol",
    "@countersign/receipts",
    "@countersign/sdk",
    "@countersign/vocabulary",
  ]);
  for (const { manifest, files } of libraries) {
    for (const file of ["LICENSE", "README.md", "package.json"]) assert.ok(files.includes(file), file);
    assert.deepEqual(
      files.filter((file) => !/^(LICENSE|README\.md|package\.json|.*\.js|.*\.d\.ts)$/.test(file)),
      [],
    );
    // `node --test --test-update-snapshots test/libraries.deep.ts` rewrites them.
    t.assert.fileSnapshot(files, join(root, `test/published/${basename(manifest.name)}.txt`), {
      serializers: [(list: string[]) => `${pairs(list).join("\n")}\n`],
    });
  }
});

/** One line for a module and its declarations. */
function pairs(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    if (file.endsWith(".d.ts")) return files.includes(file.replace(/\.d\.ts$/, ".js")) ? [] : [file];
    const declarations = file.replace(/\.js$/, ".d.ts");
    return declarations !== file && files.includes(declarations) ? [`${file.slice(0, -3)}.{js,d.ts}`] : [file];
  });
}

test("publint finds nothing", async () => {
  for (const { manifest, tarball } of libraries) {
    const { buffer } = new Uint8Array(readFileSync(tarball));
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg, { color: false })),
      [],
      manifest.name,
    );
  }
});

test("are the types wrong finds nothing for those who import", async () => {
  for (const { manifest, tarball } of libraries) {
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
    assert.ok(checked.types, `${manifest.name} has no types`);
    // What attw's profile `esm-only` checks: require() and node10's resolution, which knows no exports, are left out.
    const wrong = checked.problems.filter(
      (problem) => !("resolutionKind" in problem && /^node10$|^node16-cjs$/.test(problem.resolutionKind)),
    );
    assert.deepEqual(wrong, [], manifest.name);
  }
});

test("node imports every entry point", async () => {
  const script = entryPoints()
    .map((entry) => `if (Object.keys(await import("${entry}")).length === 0) throw new Error("${entry} is empty");`)
    .join("\n");
  await run(process.execPath, ["--input-type=module", "--eval", script], { cwd: user });
});

const PLACES = {
  node: { types: ["node"], lib: ["es2024"] },
  browsers: { types: [], lib: ["es2024", "dom", "dom.iterable"] },
};

for (const resolution of ["nodenext", "bundler"]) {
  for (const [place, options] of Object.entries(PLACES)) {
    test(`a user's file compiles under ${resolution} for ${place}`, async () => {
      const dir = join(user, `${resolution}-${place}`);
      mkdirSync(dir);
      const isThere = (entry: string) => place === "node" || !entry.endsWith("/node");
      const imports = entryPoints()
        .filter(isThere)
        .map((entry, index) => `import * as m${index} from "${entry}";\nexport const all${index} = m${index};\n`);
      writeFileSync(join(dir, "entries.ts"), imports.join(""));
      writeFileSync(join(dir, "sdk.ts"), exampleIn("sdk"));
      if (place === "node") writeFileSync(join(dir, "receipts.ts"), exampleIn("receipts"));
      const compilerOptions = {
        ...options,
        module: resolution === "nodenext" ? "nodenext" : "preserve",
        moduleResolution: resolution,
        ...{ target: "es2024", strict: true, noEmit: true, skipLibCheck: false },
      };
      writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["."] }));
      const tsc = join(root, "node_modules/.bin/tsc");
      await run(tsc, ["-p", dir]).catch(({ stdout }) => assert.fail(stdout));
    });
  }
}

function exampleIn(library: string): string {
  const readme = readFileSync(join(user, "node_modules/@countersign", library, "README.md"), "utf8");
  return /^```ts\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? assert.fail(`${library} has no example`);
}

test("the libraries have the version of the command", () => {
  const { version } = readManifest(join(root, "packages/cli"));
  for (const { manifest } of libraries) assert.equal(manifest.version, version, manifest.name);
});
