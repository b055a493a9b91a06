import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

test("every test that the table of threats names is there", () => {
  const [, table = ""] = readFileSync(join(root, "docs/opensandbox.md"), "utf8").split("| threat (ADR-0027)");
  const named = table
    .split("\n")
    .slice(2)
    .flatMap((row) => [...(row.split("|")[3] ?? "").matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? ""));
  assert.ok(named.length >= 15, `only ${named.length}`);
  const sources = globSync(["packages/*/{src,test}/**/*.{test,deep}.ts", "test/**/*.{test,deep}.ts"], { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
  for (const name of named) assert.ok(sources.includes(`est("${name}"`), name);
});
