import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/", import.meta.url));

test("sources import only zod and each other, and name nothing of Node's", () => {
  const files = globSync("**/*.ts", { cwd: source }).filter((file) => !file.endsWith(".test.ts"));
  assert.ok(files.includes("gateway-client.ts"));
  for (const file of files) {
    const text = readFileSync(`${source}/${file}`, "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g))
      assert.match(specifier, /^(?:zod|\.\/[a-z0-9-]+\.ts)$/, file);
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
    assert.doesNotMatch(code, /\b(?:node:|Buffer|process|require|__dirname|__filename|global|setImmediate)\b/, file);
  }
});
