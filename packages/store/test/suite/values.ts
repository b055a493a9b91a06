import assert from "node:assert/strict";
import type { Json } from "@countersign/receipts";
import type { Write } from "../../src/contract/store.ts";
import type { Scenario } from "./opened.ts";
import { append, approval, draft, failsWith, keep, proposal, session } from "./samples.ts";

const ODD_TEXTS = [
  "",
  " \t\r\n ",
  `'"\`; DROP TABLE proposal; --`,
  "👩‍💻 é e\u0301 \u202e",
  "\u0001\u001b[31m\u007f\u0085\u2028\ufeff\uffff",
  "%_\\u0000 $1 ?1 :a",
];

export function valueScenarios(scenario: Scenario): void {
  scenario("odd texts come back as they were", async (store, opened) => {
    for (const [index, odd] of ODD_TEXTS.entries()) {
      const key = `k${index}${odd}`;
      const written = proposal({
        key,
        proposalId: key,
        command: odd,
        cwd: odd,
        env: { A: odd },
        details: { [odd]: odd },
      });
      await keep(store, { op: "insert-proposal", proposal: written }, append({ [odd]: odd }));
      assert.deepEqual(await store.proposal(key), written);
      assert.deepEqual(await store.proposalOf("ann", key), written);
    }
    const again = await opened.reopen();
    const bodies = (await again.ledger({ afterSeq: 1, limit: 100 })).map((entry) => entry.body);
    assert.deepEqual(
      bodies,
      ODD_TEXTS.map((odd) => ({ [odd]: odd })),
    );
  });

  scenario("a command of 1 MiB is kept whole", async (store) => {
    const command = `echo ${"ü€😀x".repeat(105_000)}`;
    assert.ok(Buffer.byteLength(command) > 1024 * 1024);
    await keep(store, { op: "insert-proposal", proposal: proposal({ command }) });
    assert.equal((await store.proposal("k1"))?.command, command);
  });

  scenario("keys named like parts of a prototype are just keys", async (store) => {
    const text = '{"__proto__":"x","constructor":"y","toString":"z"}';
    const env = JSON.parse(text) as { [name: string]: string };
    await keep(store, { op: "insert-proposal", proposal: proposal({ env, details: env }) }, append(env));
    await keep(store, { op: "insert-approval", approval: approval({ payload: JSON.parse(`{"deep":${text}}`) }) });
    await keep(store, { op: "put-setting", key: "__proto__", value: env });
    const found = await store.proposal("k1");
    for (const value of [
      found?.env,
      found?.details,
      await store.setting("__proto__"),
      (await store.approval("a1"))?.payload.deep,
    ]) {
      assert.deepEqual(new Map(Object.entries(value ?? {})), new Map(Object.entries(env)));
      assert.equal(Object.getPrototypeOf(value), Object.prototype);
    }
    assert.equal(await store.setting("constructor"), undefined);
  });

  scenario("a member that is null isn't on record", async (store) => {
    const [entry] = await keep(store, append({ a: null, b: [{ c: null, d: 1 }, null] }));
    assert.deepEqual(entry?.body, { b: [{ d: 1 }, null] });
    assert.deepEqual((await store.ledger({ afterSeq: 1, limit: 1 }))[0], entry);
  });

  scenario("NUL is kept inside JSON and refused as text", async (store) => {
    await keep(store, { op: "put-setting", key: "x", value: "a\0b" }, append({ "k\0": "a\0b" }));
    assert.equal(await store.setting("x"), "a\0b");
    assert.deepEqual((await store.ledger({ afterSeq: 1, limit: 1 }))[0]?.body, { "k\0": "a\0b" });
    const command = store.commit([{ op: "insert-proposal", proposal: proposal({ command: "a\0b" }) }]);
    await assert.rejects(command, failsWith("INVALID"));
  });

  scenario("a lone surrogate is refused and finds nothing", async (store) => {
    await keep(store, { op: "claim-session", session: session({ id: "\ufffd" }) });
    await keep(store, { op: "insert-proposal", proposal: proposal({ key: "\ufffd", proposalId: "\ufffd" }) });
    assert.equal(await store.session("\ud800"), null);
    assert.equal(await store.proposal("\ud800"), null);
    assert.equal(await store.proposalOf("ann", "\udfff"), null);
    const command = store.commit([{ op: "insert-proposal", proposal: proposal({ command: "\ud83d" }) }]);
    await assert.rejects(command, failsWith("INVALID"));
  });

  scenario("what can't be kept unchanged is refused, and nothing of it stays", async (store) => {
    let deep: Json = 0;
    for (let depth = 0; depth < 100; depth += 1) deep = [deep];
    const impossible: readonly Write[] = [
      { op: "claim-session", session: session({ createdAtMs: 1.5 }) },
      { op: "insert-proposal", proposal: proposal({ createdAtMs: Number.NaN }) },
      { op: "insert-proposal", proposal: proposal({ env: { A: "\udc00" } }) },
      { op: "insert-approval", approval: approval({ expiresAtMs: Number.POSITIVE_INFINITY }) },
      { op: "append", draft: { ...draft(), atMs: 2 ** 53 } },
      { op: "append", draft: { ...draft(), sessionId: "\ud800" } },
      { op: "append", draft: draft({ text: "x".repeat(1024 * 1024) }) },
      { op: "put-setting", key: "x", value: { "\ud800": 1 } },
      { op: "put-setting", key: "x", value: deep },
    ];
    for (const write of impossible) {
      await assert.rejects(store.commit([append(), write]), failsWith("INVALID"), JSON.stringify(write).slice(0, 80));
    }
    assert.equal(await store.ledgerHead(), null);
  });
}
