import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { startRecorder } from "@countersign/recorder";
import { readLedger } from "@countersign/store";
import { tempDirectory } from "../../../store/test/temp-store.ts";
import { openHub, type TestHub } from "../support/open-hub.ts";

async function changesIn({ store }: TestHub): Promise<unknown[]> {
  const entries = await store.ledger({ afterSeq: 0, limit: 1_000 });
  return entries.filter(({ type }) => type === "config-changed").map(({ body }) => body);
}

test("settings that are others than at the last start are on record, by name; what a person is asked about isn't twice", async (t) => {
  const hub = await openHub(t, { config: { tools: { timeout: 5_000 } } });
  await hub.restart();
  assert.deepEqual(await changesIn(hub), [], "a first start has nothing to compare with, and the second is the same");
  const witness = `${hub.workspace}-witness/s3cret.jsonl`;
  const changed = { tools: { timeout: 6_000, maxOutputBytes: 4_096 }, receipts: { witness }, roots: [hub.workspace] };
  await hub.reopenWith(changed);
  const first = { file: "config.json", changed: ["receipts.witness", "tools.maxOutputBytes", "tools.timeout"] };
  assert.deepEqual(await changesIn(hub), [first]);
  await hub.reopenWith(changed);
  assert.equal((await changesIn(hub)).length, 1);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`own${n}`.padEnd(200, "x"), n]));
  await hub.reopenWith({ ...changed, ...many });
  const [, last] = (await changesIn(hub)) as { changed: string[]; of: number }[];
  assert.deepEqual([last?.changed.length, last?.of, last?.changed[0]?.length], [64, 100, 100]);
  await hub.restart();
  const audit = readFileSync(hub.home.audit, "utf8");
  assert.match(audit, /"type":"config_change".*"changed":\["receipts.witness"/);
  assert.doesNotMatch(audit, /s3cret/);
});

test("no name hides another, and what a person isn't asked about is on record beside what they are", async (t) => {
  const hub = await openHub(t, { config: { tools: { timeout: 5_000 }, "tools.timeout": 1 } });
  await hub.reopenWith({ tools: { timeout: 6_000 }, "tools.timeout": 1 });
  await hub.reopenWith({
    tools: { timeout: 6_000 },
    "tools.timeout": 1,
    notify: { push: { contact: "mailto:a@b.example" } },
  });
  assert.deepEqual(
    (await changesIn(hub)).map((body) => (body as { changed: string[] }).changed),
    [["tools.timeout"], ["notify.push.contact"]],
  );
});

test("whatever stands under names that aren't ours, a hub starts, and says what is new", async (t) => {
  const hub = await openHub(t, { config: {} });
  const deep = JSON.parse(`${"[".repeat(80)}${"]".repeat(80)}`);
  await hub.reopenWith({ [`${"x".repeat(99)}\u{1f600}`]: 1, own: "\ud800", deep, "k\ud800": 1 });
  const [first] = (await changesIn(hub)) as { changed: string[] }[];
  assert.deepEqual(first?.changed, ["deep", "k\ufffd", "own", `${"x".repeat(99)}\ufffd`]);
  await hub.reopenWith({ "k\ud800": 1, deep, own: "\ud800", [`${"x".repeat(99)}\u{1f600}`]: 1 });
  assert.equal((await changesIn(hub)).length, 1, "the order of the file isn't a setting");
});

test("a recorder of its own puts its own settings on record", async (t) => {
  const homeDir = tempDirectory(t);
  const startWith = async (config: object) => {
    writeFileSync(join(homeDir, "config.json"), JSON.stringify(config), { mode: 0o600 });
    await (await startRecorder({ homeDir, log: silentLog })).close();
  };
  const emitters = [{ uid: 1, role: "relay" }];
  await startWith({ receipts: { emitters } });
  await startWith({ receipts: { emitters, witness: join(homeDir, "elsewhere.jsonl") } });
  const bodies: unknown[] = [];
  for await (const { type, body } of readLedger(join(homeDir, "countersign.db")))
    if (type === "config-changed") bodies.push(body);
  assert.deepEqual(bodies, [{ file: "the recorder's config.json", changed: ["receipts.witness"] }]);
});
