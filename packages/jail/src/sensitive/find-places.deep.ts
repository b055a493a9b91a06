import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Clock, systemClock } from "@countersign/core/base";
import { findPlaces } from "./find-places.ts";
import { PlaceIndex } from "./place-index.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "places-deep-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

const later: Clock = { ...systemClock, wallMs: () => Date.now() + 60_000 };

test("10,000 directories with 100,000 files: the second walk reads none of them", async (t) => {
  const root = join(scratch, "many");
  for (let one = 0; one < 100; one += 1) {
    for (let two = 0; two < 100; two += 1) {
      const folder = join(root, `package-${one}`, `folder-${two}`);
      mkdirSync(folder, { recursive: true });
      for (let file = 0; file < 10; file += 1) writeFileSync(join(folder, `file-${file}.ts`), "");
    }
    writeFileSync(join(root, `package-${one}`, ".env"), "");
  }
  const index = new PlaceIndex();
  const look = async (limits = {}) => {
    const began = performance.now();
    const found = await findPlaces(root, {
      home: "/home/u",
      index,
      clock: later,
      limits: { timeMs: 60_000, ...limits },
    });
    return { found, ms: Math.round(performance.now() - began) };
  };
  const cold = await look();
  assert.deepEqual([cold.found.secrets.length, cold.found.complete], [100, true]);
  const warm = await look({ entries: 1 });
  assert.deepEqual(warm.found, cold.found);
  t.diagnostic(`cold ${cold.ms} ms, warm ${warm.ms} ms`);
  writeFileSync(join(root, "package-7/folder-7/.envrc"), "");
  // The hundred directories and two files of one package, and eleven files of one folder.
  assert.deepEqual((await look({ entries: 12 })).found.startsCode, [join(root, "package-7/folder-7/.envrc")]);
});

test("100,000 entries in one directory, and a limit within them", async () => {
  const root = join(scratch, "wide");
  mkdirSync(root);
  execFileSync("bash", ["-c", "seq -f 'file%.0f.ts' 100000 | xargs touch; touch .env"], { cwd: root });
  const options = { home: "/home/u", clock: later };
  const all = await findPlaces(root, options);
  assert.deepEqual([all.secrets, all.complete], [[join(root, ".env")], true]);
  const some = await findPlaces(root, { ...options, limits: { entries: 50_000 } });
  assert.deepEqual(some.unseen, [{ path: root, code: "too-many-entries" }]);
});

test("a thousand changes, each seen by the next walk, also when they come within one tick of the clock", async () => {
  const root = join(scratch, "changes");
  mkdirSync(join(root, "a/b"), { recursive: true });
  const index = new PlaceIndex();
  for (let round = 0; round < 1_000; round += 1) {
    const path = join(root, "a/b", `.env.${round}`);
    writeFileSync(path, "");
    appendFileSync(path, "x");
    assert.deepEqual((await findPlaces(root, { home: "/home/u", index })).secrets, [path]);
    rmSync(path);
    assert.deepEqual((await findPlaces(root, { home: "/home/u", index })).secrets, []);
  }
});
