import assert from "node:assert/strict";
import { test } from "node:test";
import type { Places } from "../sensitive/places.ts";
import type { Stamp } from "./entry-stamp.ts";
import type { LookFacts } from "./look-journal.ts";
import { lookAfter, type Scene } from "./scan-after.ts";

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
const FACTS: LookFacts = { root: "/", writes: [], removes: [], opensGit: false, hidden: [] };

const file = (content: string): Stamp => ({ kind: "file", mode: 0o644, identity: content, content, top: true });

interface Told {
  readonly facts?: Partial<LookFacts>;
  readonly places?: Partial<Places>;
  readonly expected?: Readonly<Record<string, Stamp>>;
  readonly stamps?: Readonly<Record<string, Stamp>>;
  readonly others?: readonly Partial<LookFacts>[];
  readonly ours?: readonly string[];
}

function look({ facts, places, expected = {}, stamps = {}, others = [], ours = [] }: Told) {
  const scene: Scene = {
    facts: { ...FACTS, ...facts },
    places: { ...EMPTY, ...places },
    expected: new Map(Object.entries(expected)),
    stamps: new Map(Object.entries(stamps)),
    others: () => others.map((one) => ({ ...FACTS, ...one })),
    isOurs: (path) => ours.includes(path),
    recheck: (path) => ({ expected: expected[path], now: stamps[path] }),
  };
  const { planted, changed, vanished, unsure } = lookAfter(scene);
  return { planted, changed, vanished, unsure };
}

const NOTHING = { planted: [], changed: [], vanished: [], unsure: [] };
// These stand on every machine, so that they count as standing.
const [etc, passwd] = ["/etc", "/etc/passwd"];
const GONE = "/gone/.envrc";

test("lookAfter doesn't call planted what was hidden from the run", () => {
  const places = { startsCode: [passwd] };
  assert.deepEqual(look({ places }), { ...NOTHING, planted: [passwd] });
  assert.deepEqual(look({ places, facts: { hidden: [etc] } }), NOTHING);
});

test("lookAfter reports only what is outermost and still stands", () => {
  const places = { startsCode: [passwd, GONE], gitDirectories: [etc] };
  assert.deepEqual(look({ places }), { ...NOTHING, planted: [etc] });
  assert.deepEqual(look({ places, ours: [etc] }), { ...NOTHING, planted: [passwd] });
  assert.deepEqual(look({ places, facts: { opensGit: true } }), { ...NOTHING, planted: [etc] });
});

test("lookAfter compares contents, and identities where there are none", () => {
  const [then, now] = [file("a"), file("b")];
  const differs = { ...NOTHING, changed: [passwd] };
  const compare = (expected: Stamp, stamp: Stamp) =>
    look({ expected: { [passwd]: expected }, stamps: { [passwd]: stamp } });
  assert.deepEqual(compare(then, { ...then, identity: "other" }), NOTHING);
  assert.deepEqual(compare(then, now), differs);
  assert.deepEqual(compare(then, { ...then, mode: 0o755 }), differs);
  assert.deepEqual(compare(then, { ...then, kind: "link" }), differs);
  const huge = { ...then, content: undefined };
  assert.deepEqual(compare(huge, huge), NOTHING);
  assert.deepEqual(compare(huge, { ...huge, identity: "other" }), differs);
});

test("lookAfter reports a directory that is larger than is compared, and one that was flooded", () => {
  const directory: Stamp = { kind: "directory", mode: 0o755, identity: "1", top: true };
  const large: Stamp = { ...directory, partial: true };
  const compare = (expected: Stamp, stamp: Stamp) => look({ expected: { [etc]: expected }, stamps: { [etc]: stamp } });
  assert.deepEqual(compare(directory, { ...directory, identity: "2" }), NOTHING);
  assert.deepEqual(compare(large, large), NOTHING);
  assert.deepEqual(compare(large, { ...large, identity: "2" }), { ...NOTHING, unsure: [etc] });
  assert.deepEqual(compare(directory, large), { ...NOTHING, changed: [etc] });
});

test("lookAfter leaves what another run was approved to change to that run's look", () => {
  const changed = { expected: { [passwd]: file("a"), [GONE]: file("a") }, stamps: { [passwd]: file("b") } };
  assert.deepEqual(look(changed), { ...NOTHING, changed: [passwd], vanished: [GONE] });
  assert.deepEqual(look({ ...changed, others: [{ writes: [passwd], removes: ["/gone"] }] }), NOTHING);
  assert.deepEqual(look({ ...changed, facts: { writes: [passwd], removes: ["/gone"] } }), NOTHING);
  // A write around a place opens none.
  assert.deepEqual(look({ ...changed, facts: { writes: [etc] } }), { ...NOTHING, changed: [passwd], vanished: [GONE] });
});

test("lookAfter reports an approved place that another took the name of while another run was open", () => {
  const expected = { [passwd]: { ...file("1"), inode: "1" } };
  const replaced = { [passwd]: { ...file("2"), inode: "2" } };
  const writes = [passwd];
  assert.deepEqual(look({ expected, stamps: replaced, facts: { writes } }), NOTHING);
  for (const how of [{ writes }, { removes: [etc] }]) {
    const told = look({ expected, stamps: replaced, facts: { ...how, shared: true } });
    assert.deepEqual(told, { ...NOTHING, changed: [passwd] });
  }
  const inPlace = { [passwd]: { ...file("2"), inode: "1" } };
  assert.deepEqual(look({ expected, stamps: inPlace, facts: { writes, shared: true } }), NOTHING);
});
