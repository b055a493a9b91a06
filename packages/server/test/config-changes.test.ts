import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openHub, type TestHub } from "./open-hub.ts";

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
