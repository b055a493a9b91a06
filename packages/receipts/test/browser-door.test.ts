import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g;

/** Every file that a door leads to, and what it imports from outside. */
function reach(door: URL): { files: Set<string>; outside: Set<string> } {
  const files = new Set<string>();
  const outside = new Set<string>();
  const visit = (file: URL) => {
    if (files.has(file.href)) return;
    files.add(file.href);
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(SPECIFIER)) {
      if (specifier.startsWith(".")) visit(new URL(specifier, file));
      else outside.add(specifier);
    }
  };
  visit(door);
  return { files, outside };
}

test("the first door leads to nothing of Node's and to no other package", () => {
  const { files, outside } = reach(new URL("../src/index.ts", import.meta.url));
  assert.ok(files.size > 25, "the walk has found the files");
  assert.deepEqual([...outside], []);
  for (const file of files) assert.doesNotMatch(readFileSync(new URL(file), "utf8"), /\b(?:Buffer|process)\./, file);
});

test("the second door leads to node:crypto and to nothing else", () => {
  assert.deepEqual([...reach(new URL("../src/node.ts", import.meta.url)).outside], ["node:crypto"]);
});

test("the first door compiles against a browser's types", (t) => {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const dir = mkdtempSync(join(tmpdir(), "cs-receipts-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const config = {
    compilerOptions: {
      ...compilerOptions,
      types: [],
      lib: ["es2024", "dom"],
      module: "esnext",
      moduleResolution: "bundler",
    },
    files: [join(root, "packages/receipts/src/index.ts")],
  };
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(config));
  const { stdout, status } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", dir], { encoding: "utf8" });
  assert.deepEqual([stdout, status], ["", 0]);
});
