import assert from "node:assert/strict";
import { test } from "node:test";
import type { Places } from "./places.ts";
import { type Allowed, lookAfter, takeBefore } from "./scan-after.ts";

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
const ALLOWED: Allowed = { root: "/", writes: [], opensGit: false, isAccepted: () => false };

// These stand on every machine, so that they count as standing.
const [etc, passwd] = ["/etc", "/etc/passwd"];

test("what wasn't looked at before, and so was hidden, isn't planted", () => {
  const after = { ...EMPTY, startsCode: [passwd] };
  const nothing = takeBefore(EMPTY, { carved: [], loose: [], freed: [] });
  assert.deepEqual(lookAfter(nothing, after, ALLOWED).planted, [passwd]);
  const unseen = takeBefore(
    { ...EMPTY, unseen: [{ path: etc, code: "too-deep" }] },
    { carved: [], loose: [], freed: [] },
  );
  assert.deepEqual(lookAfter(unseen, after, ALLOWED).planted, []);
});

test("only what is outermost and still stands is told", () => {
  const before = takeBefore(EMPTY, { carved: [], loose: ["/gone"], freed: [] });
  const after = { ...EMPTY, startsCode: [passwd, "/vanished/.envrc"], gitDirectories: [etc] };
  assert.deepEqual(lookAfter(before, after, ALLOWED).planted, [etc]);
  assert.deepEqual(lookAfter(before, after, { ...ALLOWED, isAccepted: (path) => path === etc }).planted, [passwd]);
  assert.deepEqual(lookAfter(before, after, { ...ALLOWED, opensGit: true }).planted, [etc]);
});
