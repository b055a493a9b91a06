import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Stamp } from "./entry-stamp.ts";
import type { LookFacts } from "./look-journal.ts";
import { OpenLooks } from "./open-looks.ts";

function stateDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "looks-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const facts = (root: string, more: Partial<LookFacts> = {}): LookFacts => ({
  ...{ root, writes: [], removes: [], opensGit: false, hidden: [] },
  ...more,
});
const file = (content: string): Stamp => ({ kind: "file", mode: 0o644, identity: content, content, top: true });
const contents = (looks: OpenLooks, root: string) =>
  Object.fromEntries([...looks.stampsIn(root)].map(([path, { content }]) => [path, content]));

async function enter(looks: OpenLooks, root: string, fresh: Readonly<Record<string, Stamp>>) {
  const look = looks.begin(facts(root));
  await looks.remember(look, facts(root), new Map(Object.entries(fresh)));
  return look;
}

test("OpenLooks keeps the first stamp until no run that may write there is open", async (t) => {
  const looks = new OpenLooks(stateDirectory(t));
  const one = await enter(looks, "/w", { "/w/a": file("1"), "/w/sub/b": file("1") });
  const other = await enter(looks, "/w/sub", { "/w/sub/b": file("2"), "/w/sub/new": file("2") });
  assert.deepEqual([...other.strangers], ["/w/sub/new"]);
  assert.deepEqual(contents(looks, "/w"), { "/w/a": "1", "/w/sub/b": "1" });
  looks.leave(one, "clean");
  assert.deepEqual(contents(looks, "/"), { "/w/sub/b": "1" });
  looks.accept(other, [
    ["/w/sub/b", undefined],
    ["/w/sub/c", file("3")],
  ]);
  const third = await enter(looks, "/w/sub", { "/w/sub/b": file("4"), "/w/sub/c": file("4") });
  assert.deepEqual([[...third.strangers], contents(looks, "/")], [["/w/sub/b"], { "/w/sub/c": "3" }]);
  for (const look of [other, third]) looks.leave(look, "clean");
  const last = await enter(looks, "/w", { "/w/a": file("5") });
  assert.deepEqual([last.strangers.size, contents(looks, "/")], [0, { "/w/a": "5" }]);
});

test("OpenLooks stamps what stands there when two runs begin at once", async (t) => {
  const looks = new OpenLooks(stateDirectory(t));
  const [one, other] = [looks.begin(facts("/w")), looks.begin(facts("/w"))];
  for (const look of [one, other]) await looks.remember(look, facts("/w"), new Map([["/w/a", file("1")]]));
  assert.deepEqual([one.strangers.size, other.strangers.size, contents(looks, "/w")], [0, 0, { "/w/a": "1" }]);
});

test("OpenLooks knows which runs were open at once in one workspace, also after a crash", async (t) => {
  const directory = stateDirectory(t);
  const looks = new OpenLooks(directory);
  const alone = await enter(looks, "/other", {});
  const one = await enter(looks, "/w", {});
  const ended = await enter(looks, "/w/sub", {});
  looks.leave(ended, "clean");
  const shared = [alone, one, ended].map(({ facts }) => facts.shared === true);
  assert.deepEqual(shared, [false, true, true]);
  const left = new OpenLooks(directory).takeLeft();
  assert.deepEqual(
    left.map((look) => look.facts.shared === true),
    [false, true],
  );
});

test("OpenLooks gives the next process what an earlier one left open, once", async (t) => {
  const directory = stateDirectory(t);
  const first = new OpenLooks(directory);
  const one = await enter(first, "/w", { "/w/a": file("1"), "/w/b": file("1"), "/w/\udcff": file("1") });
  const other = await enter(first, "/w", {});
  const found = await enter(first, "/w", {});
  first.accept(one, [
    ["/w/a", file("2")],
    ["/w/b", undefined],
  ]);
  first.leave(other, "clean");
  first.take(found, "run-1", ["/w/x"]);
  first.leave(found, "found");
  appendFileSync(join(directory, "looks.jsonl"), '{"open":"torn","facts":{"ro');
  const second = new OpenLooks(directory);
  assert.deepEqual(contents(second, "/w"), { "/w/a": "2", "/w/\udcff": "1" });
  const left = second.takeLeft();
  assert.deepEqual(
    left.map(({ id, taken, looked }) => ({ id, taken, looked })),
    [
      { id: one.id, taken: [], looked: false },
      { id: found.id, taken: [{ runId: "run-1", paths: ["/w/x"] }], looked: true },
    ],
  );
  assert.deepEqual(second.takeLeft(), []);
  // Not dealt with: it is still there after another crash.
  const third = new OpenLooks(directory);
  for (const { id, facts: about } of third.takeLeft())
    third.leave({ id, facts: about, strangers: new Set(), runs: true }, "clean");
  third.forgetLeft();
  assert.deepEqual([new OpenLooks(directory).takeLeft(), statSync(join(directory, "looks.jsonl")).size], [[], 0]);
});

test("OpenLooks writes only the stamps that changed", async (t) => {
  const directory = stateDirectory(t);
  const looks = new OpenLooks(directory);
  const fresh = { "/w/a": file("a".repeat(1_000)), "/w/b": file("b") };
  looks.leave(await enter(looks, "/w", fresh), "clean");
  const size = () => statSync(join(directory, "looks.jsonl")).size;
  const before = size();
  looks.leave(await enter(looks, "/w", fresh), "clean");
  assert.ok(size() - before < 500);
  await enter(looks, "/w", { "/w/b": file("c") });
  const text = readFileSync(join(directory, "looks.jsonl"), "utf8").slice(-400);
  assert.match(text, /\["\/w\/b",\{[^}]*"content":"c"/);
  assert.match(text, /\["\/w\/a",null\]/);
  const left = new OpenLooks(directory);
  assert.deepEqual(contents(left, "/w"), { "/w/b": "c" });
});

test("OpenLooks lets nothing start that can't be remembered, and ends what runs", async (t) => {
  const directory = stateDirectory(t);
  const looks = new OpenLooks(directory);
  rmSync(directory, { recursive: true });
  await assert.rejects(enter(looks, "/w", {}), { code: "ENOENT" });
  const look = looks.begin(facts("/w"));
  looks.take(look, "run-1", ["/w/x"]);
  looks.leave(look, "found");
  looks.close();
  assert.equal(existsSync(directory), false);
});

test("OpenLooks reads what is whole of a damaged journal, and counts the rest", async (t) => {
  const directory = stateDirectory(t);
  const path = join(directory, "looks.jsonl");
  const first = new OpenLooks(directory);
  const one = await enter(first, "/w", { "/w/a": file("1") });
  // The third is a run whose facts can't be read.
  appendFileSync(path, '\0\0\0\n{"open":1}\n{"open":"x","facts":{"root":"/w"},"stamps":[]}\n[]\n{"close":"');
  const damaged = new OpenLooks(directory);
  assert.deepEqual([damaged.unread, damaged.takeLeft().map(({ id }) => id)], [4, [one.id]]);
  truncateSync(path, 100 * 1024 ** 2);
  const huge = new OpenLooks(directory);
  assert.deepEqual([huge.unread, huge.takeLeft().map(({ id }) => id)], [5, [one.id]]);
  huge.leave(one, "clean");
  huge.forgetLeft();
  assert.deepEqual([statSync(path).size, new OpenLooks(directory).unread], [0, 0]);
});
