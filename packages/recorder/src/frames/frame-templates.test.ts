import assert from "node:assert/strict";
import { test } from "node:test";
import type { EmittedDraft } from "@countersign/store";
import fc from "fast-check";
import { draftOf, type EmittedReceipt } from "../../../store/src/ledger/frame-record.ts";
import { attribute } from "./attribution.ts";
import { type Frame, readFrame } from "./frame.ts";
import { FrameTemplates } from "./frame-templates.ts";
import { liveReceipt, ownOf } from "./receipts-of-frame.ts";

/** Few of each, so that forms come again, and differ in one thing. */
const some = (...each: readonly unknown[]) => fc.constantFrom(undefined, ...each);
const frame = fc
  .record({
    v: fc.constant("1"),
    ts_emit: fc.constantFrom("2026-01-02T03:04:05Z", "2026-01-02T03:04:06.5+01:00"),
    session_id: fc.constantFrom("s1", "s2"),
    channel: fc.constantFrom("mcp", "opensandbox_execd"),
    tool: fc.record({ name: fc.constantFrom("a", 'b"'), server: some("x", "") }),
    decision: fc.constantFrom("allowed", "denied", "pending"),
    action_type: fc.constant("system.command.execute"),
    input: some(null, { command: "ls" }, [1]),
    output: some(null, { isError: true }, { isError: false }),
    error: some(null, "", "it failed"),
    ...{ issuer_name: some("n"), issuer_model: some("m"), operator_id: some("o"), operator_name: some("p") },
    ...{ idempotency_key: some("k1", ""), correlation_id: some("c1"), agent_id: some("g"), agent_type: some("t") },
    binding: fc.constantFrom(
      ...[{ sandbox_id: "a" }, { sandbox_id: "b", more: { deep: [null, 1] } }, { sandbox_id: "a", started_at: null }],
      ...[
        { sandbox_id: "a", started_at: "2026-01-02T03:04:05Z" },
        { sandbox_id: "a", started_at: "then" },
      ],
    ),
    coverage: some(null, { part: true }),
    enforcement: some(null, "enforced", "advisory", "none"),
  })
  .map((each): Frame => readFrame(Buffer.from(JSON.stringify(each))));
const peer = fc.record(
  {
    pid: fc.constantFrom(1, 2),
    uid: fc.constantFrom(0, 9),
    gid: fc.constantFrom(0, 1),
    exePath: fc.constant("/bin/a"),
  },
  { requiredKeys: ["pid", "uid", "gid"] },
);

/** What differs each time, whatever is said. */
const withoutIds = (receipt: EmittedReceipt): EmittedDraft => {
  const draft = draftOf(receipt);
  const { credentialSubject: subject } = draft;
  return { ...draft, id: "", credentialSubject: { ...subject, action: { ...subject.action, id: "" } } };
};

test("what a form stands for is what the frame says, whatever came before it", () => {
  const forms = new FrameTemplates();
  let filled = 0;
  fc.assert(
    fc.property(frame, peer, fc.nat(2), (each, from, dropped) => {
      const attribution = attribute(each, from, () => ["relay"]);
      const emission = { frame: each, peer: from, attribution, atMs: 1_000, dropped };
      const receipts = forms.receiptsOf(emission);
      const live = receipts.at(-1) as EmittedReceipt;
      assert.deepEqual(withoutIds(live), withoutIds(liveReceipt(emission, ownOf(emission))));
      assert.equal(receipts.length, dropped > 0 ? 2 : 1);
      if ("form" in live) filled += 1;
    }),
    { numRuns: 3_000 },
  );
  assert.ok(filled > 1_000);
});

test("frames that say the same share one form; ids and times are their own", () => {
  const forms = new FrameTemplates();
  const said = { v: "1", session_id: "s", channel: "mcp", tool: { name: "t" }, decision: "allowed" } as const;
  const peer = { pid: 1, uid: 1, gid: 1 };
  const [one, other] = ["2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"].map((ts_emit, at) => {
    const frame = { ...said, ts_emit };
    return forms.receiptsOf({ frame, peer, attribution: attribute(frame, peer, () => []), atMs: at, dropped: 0 })[0];
  });
  assert.ok(one && other && "form" in one && "form" in other);
  assert.equal(one.form, other.form);
  assert.equal(one.values.filter((value) => other.values.includes(value)).length, 0);
});
