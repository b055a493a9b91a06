import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../canonical/canonicalize.ts";
import {
  type ChainCheck,
  LEDGER_TYPES,
  type LedgerDraft,
  type LedgerEntry,
  link,
  verifyChain,
} from "./ledger-chain.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const maybeText = fc.option(fc.string({ unit: "binary", maxLength: 8 }), { nil: null });
const draft: fc.Arbitrary<LedgerDraft> = fc.record({
  type: fc.constantFrom(...LEDGER_TYPES),
  sessionId: maybeText,
  proposalKey: maybeText,
  atMs: fc.maxSafeNat(),
  body: fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<Json>, { maxKeys: 3 }),
});
const chain = fc.array(draft, { minLength: 1, maxLength: 12 }).map(linkAll);

function linkAll(drafts: readonly LedgerDraft[]): readonly LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (const each of drafts) entries.push(link(entries.at(-1) ?? null, each, sha256));
  return entries;
}

/** A chain and a place in it. */
const placed = fc
  .tuple(chain, fc.nat())
  .map(([entries, at]) => ({ entries, index: at % entries.length }))
  .map(({ entries, index }) => ({ entries, index, entry: entries[index] as LedgerEntry }));

async function check(entries: readonly LedgerEntry[]): Promise<ChainCheck> {
  return verifyChain(entries, sha256);
}

test("a chain as it was linked is whole", async () => {
  assert.deepEqual(await check([]), { whole: true, count: 0, head: null });
  await fc.assert(
    fc.asyncProperty(chain, async (entries) => {
      assert.deepEqual(await check(entries), { whole: true, count: entries.length, head: entries.at(-1) });
      // What storage does to an entry must not matter.
      assert.equal((await check(JSON.parse(JSON.stringify(entries)))).whole, true);
    }),
  );
});

test("a change of any field is found at its entry", async () => {
  const changes: readonly ((entry: LedgerEntry) => LedgerEntry)[] = [
    (entry) => ({ ...entry, seq: entry.seq + 1 }),
    (entry) => ({ ...entry, prev: entry.prev === null ? `sha256:${"0".repeat(64)}` : null }),
    (entry) => ({ ...entry, hash: entry.hash.replace(/.$/, (last) => (last === "0" ? "1" : "0")) }),
    (entry) => ({ ...entry, hash: entry.hash.toUpperCase() }),
    (entry) => ({ ...entry, type: entry.type === "ended" ? "started" : "ended" }),
    (entry) => ({ ...entry, sessionId: entry.sessionId === null ? "" : null }),
    (entry) => ({ ...entry, proposalKey: `${entry.proposalKey}x` }),
    (entry) => ({ ...entry, atMs: entry.atMs + 1 }),
    (entry) => ({ ...entry, body: { ...entry.body, "added\0": null } }),
    (entry) => ({ ...entry, body: { ...entry.body, unsound: Number.NaN } }),
    (entry) => ({ ...entry, body: { ...entry.body, unsound: "\ud800" } }),
  ];
  await fc.assert(
    fc.asyncProperty(placed, fc.constantFrom(...changes), async ({ entries, index, entry }, change) => {
      const changed = entries.with(index, change(entry));
      const found = await check(changed);
      assert.ok(!found.whole);
      assert.equal(found.seq, changed[index]?.seq);
    }),
    { numRuns: 300 },
  );
});

test("an entry that was changed and hashed again breaks the link of the next", async () => {
  await fc.assert(
    fc.asyncProperty(placed, async ({ entries, index, entry }) => {
      fc.pre(index < entries.length - 1);
      const forged = link(entries[index - 1] ?? null, { ...entry, atMs: entry.atMs + 1 }, sha256);
      const found = await check(entries.with(index, forged));
      assert.deepEqual(found, { whole: false, code: "BROKEN_LINK", seq: entry.seq + 1 });
    }),
  );
});

test("a removal, a repetition and a swap are found; a cut tail is not, as documented", async () => {
  await fc.assert(
    fc.asyncProperty(placed, async ({ entries, index, entry }) => {
      const last = index === entries.length - 1;
      assert.equal((await check(entries.toSpliced(index, 1))).whole, last);
      assert.deepEqual(await check(entries.toSpliced(index, 0, entry)), {
        whole: false,
        code: "SEQUENCE_GAP",
        seq: entry.seq,
      });
      const next = entries[index + 1];
      if (next !== undefined) assert.equal((await check(entries.toSpliced(index, 2, next, entry))).whole, false);
    }),
  );
});

test("another kind of value in the same place has another hash", async () => {
  const [first] = linkAll([{ type: "decided", sessionId: null, proposalKey: null, atMs: 1, body: { a: 1 } }]);
  assert.ok(first);
  for (const body of [{ a: "1" }, { a: [1] }, { a: true }, { a: null }, {}]) {
    assert.equal((await check([{ ...first, body }])).whole, false, JSON.stringify(body));
  }
});

test("the hash is fixed for all time", () => {
  const entry = link(
    null,
    { type: "hub-up", sessionId: null, proposalKey: null, atMs: 0, body: { b: "é", a: 1 } },
    sha256,
  );
  const text =
    '{"atMs":0,"body":{"a":1,"b":"é"},"prev":null,"proposalKey":null,"seq":1,"sessionId":null,"type":"hub-up"}';
  assert.equal(entry.hash, `sha256:${sha256(text)}`);
});
