import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const PLACES = ["packages/*/src/**", "packages/*/test/**", "test/**"];

function filesOf(ending: string): { path: string; text: string }[] {
  const paths = globSync(
    PLACES.map((place) => `${place}/*${ending}`),
    { cwd: root },
  );
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

test("whatever only deep tests run is run by one: a file with such tests has a .deep.ts that imports it", () => {
  const imported = new Set(
    filesOf(".deep.ts").flatMap(({ path, text }) =>
      [...text.matchAll(/^import "(\..+?)";$/gm)].map(([, from = ""]) => join(dirname(path), from)),
    ),
  );
  const withDeep = filesOf(".test.ts").filter(({ text }) =>
    /^\s*(?:await )?(?:deepTest|deepSubtest|alsoAsOrdinaryUser)\(/m.test(text),
  );
  assert.ok(withDeep.length > 20);
  assert.deepEqual(
    withDeep.map(({ path }) => path).filter((path) => !imported.has(path)),
    [],
  );
});
