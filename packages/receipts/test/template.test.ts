import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  ByteSlab,
  createReceipt,
  fillTemplate,
  newPlaceholder,
  type Placeholder,
  type ReceiptDraft,
  ReceiptError,
  ReceiptTemplate,
  type Sha256Text,
} from "@countersign/receipts";
import fc from "fast-check";
import { crypto, draftOf, withRuntime, withSubject } from "./sample-chain.ts";

const blankOf = <Kind extends Placeholder["kind"]>(kind: Kind) => ({
  ...newPlaceholder(kind, randomUUID().replaceAll("-", "")),
  kind,
});
const tools = { crypto, slab: new ByteSlab() };
const link = blankOf("sha256");
const kinds = ["receiptId", "actionId", "dateTime", "sha256", "sha256", "text", "text", "text"] as const;
const blanks = kinds.map(blankOf);
const [id, actionId, at, parameters, response, key, correlator, emitted] = blanks.map(({ mark }) => mark) as [
  ...[string, string, string, string, string, string, string, string],
];

/** Around the blanks: whatever the format takes. */
function marked(other: string, open: { readonly [key: string]: unknown }): ReceiptDraft {
  const draft = draftOf(1, "did:key:z6Mk");
  const action = { ...draft.credentialSubject.action, id: actionId, timestamp: at };
  return withRuntime(
    withSubject(
      { ...draft, id, issuanceDate: at },
      {
        action: { ...action, parameters_hash: parameters, idempotency_key: key, target: { system: other } },
        outcome: { status: "success", response_hash: response },
        correlation_id: correlator,
      },
    ),
    { ...open, emittedAt: emitted },
  );
}

const uuid = fc.uuid().map((each) => each.toLowerCase());
const sha256 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `sha256:${Buffer.from(bytes).toString("hex")}`);
const text = fc.string({ unit: "binary", minLength: 1 }).filter((each) => each.isWellFormed());
const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") });
const values = fc.tuple(
  ...[
    uuid.map((each) => `urn:receipt:${each}`),
    uuid.map((each) => `act_${each}`),
    date.map((each) => each.toISOString()),
  ],
  ...[sha256, sha256, text, text, text],
);
const head = fc.record({
  sequence: fc.integer({ min: 1, max: 2 ** 53 - 2 }),
  hash: sha256.map((each) => each as Sha256Text),
});

test("a form that is filled in is the receipt that would have been made without it, byte for byte", () => {
  const open = fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true });
  fc.assert(
    fc.property(
      text,
      text,
      open,
      fc.array(fc.tuple(values, head), { minLength: 1 }),
      (chainId, other, runtime, each) => {
        const draft = marked(other, runtime);
        const form = new ReceiptTemplate(draft, { chainId, link, blanks });
        for (const [filled, last] of each) {
          const { receipt, ...made } = createReceipt(
            fillTemplate(draft, blanks, filled),
            { chainId, head: last },
            crypto,
          );
          assert.deepEqual(form.fill(filled, last, tools), {
            ...made,
            receipt: { issuanceDate: receipt.issuanceDate },
          });
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("a blank takes what may stand in its place, and nothing else", () => {
  const form = new ReceiptTemplate(marked("tool", {}), { chainId: "root", link, blanks });
  const last = { sequence: 1, hash: `sha256:${"0".repeat(64)}` } as const;
  const good: readonly string[] = fc.sample(values, 1)[0] ?? [];
  form.fill(good, last, tools);
  const refused = (wrong: readonly string[]) =>
    assert.throws(() => form.fill(wrong, last, tools), { name: "ReceiptError", code: "INVALID_DRAFT" }, String(wrong));
  for (const at of kinds.keys()) refused(good.with(at, ""));
  for (const at of [0, 1, 2, 3, 4]) refused(good.with(at, `${good[at]}"`));
  for (const at of [0, 1, 2, 3, 4])
    for (const other of [0, 1, 2, 3]) if (kinds[at] !== kinds[other]) refused(good.with(at, good[other] as string));
  refused(good.slice(1));
  refused([...good, "more"]);
});

test("what decides about the rest of a receipt can't be left blank, and the date always is", () => {
  const make = (draft: ReceiptDraft) => () => new ReceiptTemplate(draft, { chainId: "root", link, blanks });
  const whole = marked("tool", {});
  const { action } = whole.credentialSubject;
  assert.throws(make(withSubject(whole, { action: { ...action, type: key } })), ReceiptError);
  assert.throws(make({ ...whole, issuanceDate: "2026-01-02T03:04:05Z" }), ReceiptError);
  assert.throws(make({ ...whole, id: key }), ReceiptError);
});
