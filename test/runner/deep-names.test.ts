import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("a file with tests for test:deep is one that test:deep runs", () => {
  const files = globSync(["packages/*/{src,test}/**/*.test.ts", "test/**/*.test.ts"], { cwd: root });
  const withDeep = files.filter((file) =>
    /^\s*(?:await )?(?:deepTest|deepSubtest|alsoAsOrdinaryUser)\(/m.test(readFileSync(join(root, file), "utf8")),
  );
  assert.ok(withDeep.length > 20);
  assert.deepEqual(
    withDeep.filter((file) => !file.endsWith(".deep.test.ts") && !file.startsWith("test/page/")),
    [],
  );
});
