import assert from "node:assert/strict";
import type { Store } from "../../src/contract/store.ts";
import type { EmittedDraft, FrameRecord } from "../../src/ledger/frame-record.ts";
import type { Scenario } from "./opened.ts";
import { emittedDraft, frameRecord } from "./sample-frames.ts";
import { failsWith } from "./samples.ts";

function of(sandbox: string, set: Partial<FrameRecord> = {}): FrameRecord {
  return { ...frameRecord(), chain: `sandbox:${sandbox}` as const, emitter: "relay:1", ...set };
}

function terminal(type: "open" | "close" | "refused", correlation_id: string): EmittedDraft {
  const draft = emittedDraft(type === "close" ? "system.pty.close" : "system.pty.open");
  const outcome = { status: type === "refused" ? ("failure" as const) : ("success" as const) };
  return { ...draft, credentialSubject: { ...draft.credentialSubject, outcome, correlation_id } };
}

function drops(drop_count: number): EmittedDraft {
  const draft = emittedDraft("agent_receipts.events_dropped");
  const { action } = draft.credentialSubject;
  const counted = { ...action, emitter_metadata: { drop_count } };
  return { ...draft, credentialSubject: { ...draft.credentialSubject, action: counted } };
}

/** One that wasn't opened. */
export function refusedTerminal(sandbox: string, correlator: string): FrameRecord {
  return of(sandbox, { receipts: [terminal("refused", correlator)] });
}

/** A frame with receipts of these types: terminals under the correlator `c`, two drops or as many as are named. */
export function frameRecordOf(sandbox: string, types: readonly string[], dropped = 2): FrameRecord {
  const drafts = types.map((type) => {
    if (type === "system.pty.open" || type === "system.pty.close")
      return terminal(type === "system.pty.open" ? "open" : "close", "c");
    return type === "agent_receipts.events_dropped" ? drops(dropped) : emittedDraft(type);
  });
  return of(sandbox, { receipts: drafts as [...EmittedDraft[], EmittedDraft] });
}

const summary = async (store: Store) =>
  (await store.sandboxes({ limit: 10 })).map(({ id, receipts, dropped, openTerminals, actions }) => ({
    ...{ id, receipts, dropped, openTerminals },
    actions: Object.fromEntries(actions.map(({ type, count }) => [type, count])),
  }));

export function sandboxScenarios(scenario: Scenario): void {
  scenario("what is on record about sandboxes is counted as it is written", async (store, { reopen }) => {
    await Promise.all([
      store.record(of("a", { atMs: 5, receipts: [emittedDraft("system.command.execute")] })),
      store.record(of("a", { atMs: 6, receipts: [drops(3), emittedDraft("system.command.execute")] })),
      store.record(frameRecord({ receipts: [emittedDraft("system.command.execute")] })),
    ]);
    await store.record(of("a", { atMs: 7, receipts: [drops(4), emittedDraft("filesystem.file.read")] }));
    await store.record(of("b", { receipts: [emittedDraft("system.code.execute")] }));
    const expected = [
      { id: "b", receipts: 1, dropped: 0, openTerminals: 0, actions: { "system.code.execute": 1 } },
      {
        ...{ id: "a", receipts: 5, dropped: 7, openTerminals: 0 },
        actions: { "system.command.execute": 2, "filesystem.file.read": 1 },
      },
    ];
    assert.deepEqual(await summary(store), expected);
    const a = await store.sandbox("a");
    assert.deepEqual([a?.first.atMs, a?.last.atMs, a?.chains.map(({ length }) => length)], [5, 7, [5]]);
    assert.deepEqual(await summary(await reopen()), expected);
  });

  scenario("claims of drops that sum up to more than can be counted stop at that", async (store, { reopen }) => {
    const most = Number.MAX_SAFE_INTEGER;
    await store.record(of("a", { receipts: [drops(most), drops(most), emittedDraft("system.command.execute")] }));
    await store.record(of("a", { receipts: [drops(most), emittedDraft("system.command.execute")] }));
    const actions = { "system.command.execute": 2 };
    const expected = [{ id: "a", receipts: 5, dropped: most, openTerminals: 0, actions }];
    assert.deepEqual(await summary(store), expected);
    assert.deepEqual(await summary(await reopen()), expected);
  });

  scenario("sandboxes are read by pages, those that began last first", async (store) => {
    for (const id of ["a", "b", "c"]) await store.record(of(id, { receipts: [emittedDraft()] }));
    await store.record(of("a", { receipts: [emittedDraft()] }));
    const [c, b] = await store.sandboxes({ limit: 2 });
    assert.deepEqual([c?.id, b?.id], ["c", "b"]);
    const rest = await store.sandboxes({ limit: 2, beforeSeq: b?.first.seq });
    assert.deepEqual(
      rest.map(({ id }) => id),
      ["a"],
    );
    assert.deepEqual([await store.sandbox("d"), await store.sandbox("\ud800")], [null, null]);
    await assert.rejects(store.sandboxes({ limit: 0 }), failsWith("INVALID"));
  });

  scenario("a terminal is closed by its correlator, in its own sandbox alone", async (store) => {
    const say = async (sandbox: string, type: "open" | "close", correlator: string) => {
      const recorded = await store.record(of(sandbox, { receipts: [terminal(type, correlator)] }));
      return recorded.kind === "recorded" ? recorded.seq : Number.NaN;
    };
    const one = await say("a", "open", "one");
    const two = await say("a", "open", "two");
    await say("b", "close", "two");
    const closed = await say("a", "close", "one");
    await say("a", "close", "one");
    const terminals = await store.terminals({ sandbox: "a", correlators: ["one", "two", "three"] });
    assert.deepEqual(
      [...terminals],
      [
        ["one", { openedSeq: one, closedSeq: closed }],
        ["two", { openedSeq: two, closedSeq: null }],
      ],
    );
    assert.equal((await store.sandbox("a"))?.openTerminals, 1);
    // The same name for another one: the new one is open, whatever the old one was.
    const again = await say("a", "open", "one");
    assert.deepEqual((await store.terminals({ sandbox: "a", correlators: ["one"] })).get("one"), {
      ...{ openedSeq: again, closedSeq: null },
    });
  });

  scenario("a terminal that was refused isn't one that nobody closed", async (store) => {
    await store.record(of("a", { receipts: [terminal("open", "one")] }));
    await store.record(refusedTerminal("a", "two"));
    await store.record(of("a", { receipts: [terminal("close", "one")] }));
    await store.record(refusedTerminal("a", "one"));
    const terminals = await store.terminals({ sandbox: "a", correlators: ["one", "two"] });
    assert.deepEqual([...terminals.keys()], ["one"]);
    assert.equal((await store.sandbox("a"))?.openTerminals, 0);
  });

  scenario("what isn't kept isn't counted", async (store) => {
    await Promise.all([
      store.record(of("a", { receipts: [emittedDraft("system.command.execute")] })),
      assert.rejects(
        store.record(of("a", { receipts: [emittedDraft("system.command.execute"), emittedDraft("")] })),
        failsWith("INVALID"),
      ),
      assert.rejects(store.record(of("new", { receipts: [emittedDraft("")] })), failsWith("INVALID")),
      store.record(of("a", { idempotencyKey: "k", receipts: [emittedDraft("system.command.execute")] })),
      store.record(of("a", { idempotencyKey: "k", receipts: [emittedDraft("system.command.execute")] })),
    ]);
    const actions = { "system.command.execute": 2 };
    assert.deepEqual(await summary(store), [{ id: "a", receipts: 2, dropped: 0, openTerminals: 0, actions }]);
  });
}
