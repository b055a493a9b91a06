import assert from "node:assert/strict";
import { test } from "node:test";
import type { Places } from "./places.ts";
import { type Allowed, findPlanted, takeBefore } from "./scan-after.ts";

const EMPTY: Places = {
  secrets: [],
  startsCode: [],
  gitDirectories: [],
  bareRepositories: [],
  sockets: [],
  complete: true,
  unseen: [],
  unlisted: 0,
};
const ALLOWED: Allowed = { writes: [], opensGit: false, isPlaceholder: () => false };

// These stand on every machine, so that they count as standing.
const [etc, passwd] = ["/etc", "/etc/passwd"];

test("what wasn't looked at before, and so was hidden, isn't planted", () => {
  const after = { ...EMPTY, startsCode: [passwd] };
  const nothing = takeBefore(EMPTY, { carved: [], loose: [] });
  assert.deepEqual(findPlanted(nothing, after, ALLOWED), [passwd]);
  const unseen = takeBefore({ ...EMPTY, unseen: [{ path: etc, code: "too-deep" }] }, { carved: [], loose: [] });
  assert.deepEqual(findPlanted(unseen, after, ALLOWED), []);
});

test("only what is outermost and still stands is told", () => {
  const before = takeBefore(EMPTY, { carved: [], loose: ["/gone"] });
  const after = { ...EMPTY, startsCode: [passwd, "/vanished/.envrc"], gitDirectories: [etc] };
  assert.deepEqual(findPlanted(before, after, ALLOWED), [etc]);
  assert.deepEqual(findPlanted(before, after, { ...ALLOWED, isPlaceholder: (path) => path === etc }), [passwd]);
  assert.deepEqual(findPlanted(before, after, { ...ALLOWED, opensGit: true }), []);
});
