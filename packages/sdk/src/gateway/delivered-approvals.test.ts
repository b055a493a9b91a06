import assert from "node:assert/strict";
import { test } from "node:test";
import { DeliveredApprovals, MAX_REMEMBERED_APPROVALS } from "./delivered-approvals.ts";

const message = (action: string, approvalId: unknown, from = "hub") => ({
  id: "1",
  from,
  to: "me",
  action,
  payload: { approvalId },
});

test("the memory is bounded, and the oldest goes first", () => {
  const delivered = new DeliveredApprovals();
  const ask = (index: number) => delivered.isNews(message("exec-approval-request", `a${index}`));
  for (let index = 0; index < MAX_REMEMBERED_APPROVALS; index += 1) assert.ok(ask(index));
  assert.equal(ask(0), false);
  assert.ok(ask(MAX_REMEMBERED_APPROVALS));
  assert.equal(delivered.size, MAX_REMEMBERED_APPROVALS);
  assert.equal(ask(1), false);
  assert.ok(ask(0), "forgotten");
});

test("settled ones make room", () => {
  const delivered = new DeliveredApprovals();
  for (let index = 0; index < 3 * MAX_REMEMBERED_APPROVALS; index += 1) {
    delivered.isNews(message("exec-approval-request", `a${index}`));
    delivered.isNews(message(index % 2 ? "exec-approval-resolved" : "exec-approval-expired", `a${index}`));
  }
  assert.equal(delivered.size, 0);
});

test("sender and id don't run into each other", () => {
  const delivered = new DeliveredApprovals();
  assert.ok(delivered.isNews(message("exec-approval-request", "b", 'a","')));
  assert.ok(delivered.isNews(message("exec-approval-request", '","b', "a")));
});
