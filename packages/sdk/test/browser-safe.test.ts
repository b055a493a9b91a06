import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../", import.meta.url));
const MAY_IMPORT = {
  protocol: /^(?:zod|@countersign\/vocabulary|\.[./a-z0-9-]+\.ts)$/,
  sdk: /^(?:zod|@countersign\/(?:vocabulary|protocol(?:\/[a-z]+)?)|\.[./a-z0-9-]+\.ts)$/,
};

for (const [name, allowed] of Object.entries(MAY_IMPORT)) {
  test(`${name} imports only what browsers have, and names nothing of Node's`, () => {
    const files = globSync(`${name}/src/**/*.ts`, { cwd: packages }).filter((file) => !file.endsWith(".test.ts"));
    assert.ok(files.includes(`${name}/src/index.ts`));
    for (const file of files) {
      const text = readFileSync(`${packages}/${file}`, "utf8");
      for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g))
        assert.match(specifier, allowed, file);
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
      assert.doesNotMatch(code, /\b(?:node:|Buffer|process|require|__dirname|__filename|global|setImmediate)\b/, file);
    }
  });
}
