import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { CliError } from "../base/cli-error.ts";
import { pickFrom } from "./pick-approval.ts";

const IDS = [
  "01a1e0d8-dc80-701d-b8bb-8987f28a4e4b",
  "01a1e0d8-dc80-7f1d-b8bb-0000f28a4e4b",
  "01a1e0d8-dc80-7a1d-b8bb-898712345678",
];
const approvals = IDS.map((approvalId) => ({ approvalId }) as ExecApprovalRequestPayload);

const failsWith = (code: string) => (error: unknown) => error instanceof CliError && error.code === code;

test("an end that one alone has, or a beginning past the time", () => {
  assert.equal(pickFrom(approvals, "12345678").approvalId, IDS[2]);
  assert.equal(pickFrom(approvals, "5678").approvalId, IDS[2]);
  assert.equal(pickFrom(approvals, "8987f28a4e4b").approvalId, IDS[0]);
  assert.equal(pickFrom(approvals, "01a1e0d8-dc80-7f1d").approvalId, IDS[1]);
});

test("several, too short, or only the time: unclear, never a guess", () => {
  assert.throws(() => pickFrom(approvals, "f28a4e4b"), failsWith("ID_UNCLEAR"));
  assert.throws(() => pickFrom(approvals, "678"), failsWith("ID_UNCLEAR"));
  // Even where it fits one alone now: it may have been read from another that has ended.
  assert.throws(() => pickFrom(approvals.slice(0, 1), "01a1e0d8-dc80"), failsWith("ID_UNCLEAR"));
});

test("none is the wire's own sentence", () => {
  assert.throws(() => pickFrom(approvals, "ffffffff"), { message: "Approval request not found or already resolved" });
});
