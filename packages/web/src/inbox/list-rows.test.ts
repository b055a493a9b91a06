import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { keepPlaces, listRows, withoutGone } from "./list-rows.ts";

/** Only the id of an expired card matters here. */
function list(waiting: string, expired = "") {
  return listRows(
    [...waiting],
    [...expired].map((approvalId) => ({ approvalId }) as ExecApprovalRequestPayload),
  );
}

function shown(rows: ReturnType<typeof list>) {
  return rows.map(({ kind, id }) => (kind === "card" ? id : `(${id})`)).join(" ");
}

test("listRows lists pending cards before expired ones", () => {
  assert.equal(shown(keepPlaces([], list("ab", "xy"))), "a b (x) (y)");
});

test("keepPlaces appends new rows, after expired ones too", () => {
  assert.equal(shown(keepPlaces(list("ab", "x"), list("abc", "xy"))), "a b (x) c (y)");
});

test("keepPlaces leaves an expired card in its place", () => {
  assert.equal(shown(keepPlaces(list("ab", "x"), list("b", "ax"))), "(a) b (x)");
});

test("keepPlaces keeps expired rows that are gone, but no other card", () => {
  const now = list("b", "y");
  const rows = keepPlaces(list("ab", "xy"), now);
  assert.equal(shown(rows), "b (x) (y)");
  assert.equal(shown([...withoutGone(rows, now)]), "b (y)");
});
