import assert from "node:assert/strict";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

const ENFORCED = { enforcement: "enforced" } as const;
const call = (hub: TestHub, given: object, how: object = {}) =>
  hub.hub.proposals.proposeToolCall({ cwd: hub.workspace, ...given }, LOCAL_AGENT, { ...ENFORCED, ...how });

test("a tool call asks, is allowed once, and its end is on record under the tool's name", async (t) => {
  const hub = await openHub(t);
  const passing = call(hub, { server: "github", tool: "create_issue", arguments: { title: "It's broken", n: 1 } });
  const card = await hub.asked();
  assert.equal(card.command, "mcp:github create_issue n=1 'title=It'\\''s broken'");
  assert.deepEqual([card.riskLevel, card.enforcement, card.jail], ["needs-review", "enforced", "none"]);
  assert.deepEqual(card.riskReasons, [
    "Calls the tool create_issue of the MCP server github, and what it does there isn't known",
  ]);
  await hub.hub.answer(card.approvalId, { decision: "allow-once" }, ALICE);
  const passed = await passing;
  assert.ok("permit" in passed);
  await hub.hub.report(passed.permit.id, { kind: "exited", exitCode: 0, stdout: "{}" }, LOCAL_AGENT);
  const { key } = passed.permit.assessment.proposal;
  const receipts = (await hub.store.receiptsOf(key)).map(({ raw }) => JSON.parse(raw).credentialSubject);
  assert.deepEqual(
    receipts.map(({ action, outcome }) => [action.type, action.target, outcome.status]),
    ["pending", "pending", "success"].map((status) => [
      "dev.countersign.tool.call",
      { system: "github", resource: "create_issue" },
      status,
    ]),
  );
  assert.equal((await hub.hub.record.verify()).whole, true);
});

test("entries decide about tool calls, and allow-always saves the tool", async (t) => {
  const hub = await openHub(t, {
    profile: { denylist: [{ pattern: "mcp:github delete_* **", why: "Nothing is deleted from here" }] },
  });
  const denied = await call(hub, { server: "github", tool: "delete_repo", arguments: {} });
  assert.ok("outcome" in denied);
  assert.deepEqual(
    [denied.outcome.kind, denied.outcome.by, denied.outcome.reason],
    ["denied", "deny-entry", "Nothing is deleted from here"],
  );
  const asking = call(hub, { server: "github", tool: "search", arguments: { q: "a" } });
  const { approvalId } = await hub.asked();
  await hub.hub.answer(approvalId, { decision: "allow-always" }, ALICE);
  assert.ok("permit" in (await asking));
  const again = await call(hub, { server: "github", tool: "search", arguments: { q: "b" } });
  assert.ok("permit" in again);
  assert.equal(again.permit.assessment.decision.by, "entry");
});

test("the hub asks a person when it has a reason of its own, whatever allows the call", async (t) => {
  const allowlist = [{ pattern: "mcp:s **" }];
  const hub = await openHub(t, { profile: { allowlist, askFallback: "allowlist" } });
  const asking = call(hub, { server: "s", tool: "t", arguments: {} }, { mustAskReason: "It isn't what it was" });
  const card = await hub.asked();
  assert.equal(card.riskReasons[0], "It isn't what it was");
  hub.clock.advance(61_000);
  const passed = await asking;
  assert.ok("outcome" in passed);
  assert.deepEqual([passed.outcome.kind, passed.outcome.by], ["expired", "timeout"]);
});

test("secrets in arguments are hidden on the card, and what is bound is the call as it came", async (t) => {
  const hub = await openHub(t);
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const given = { token: secret, deep: { authorization: `Bearer ${secret}` }, title: "x" };
  const passing = call(hub, { server: "s", tool: "t", arguments: given });
  const card = await hub.asked();
  assert.doesNotMatch(JSON.stringify(card), /a1B2/);
  assert.match(card.command, /title=x/);
  await hub.hub.answer(card.approvalId, { decision: "deny", reason: "no" }, ALICE);
  await passing;
  const kept = await hub.store.approval(card.approvalId);
  assert.doesNotMatch(JSON.stringify(kept), /a1B2/);
});

test("what isn't a tool call can't pass for one, and the reverse", async (t) => {
  const hub = await openHub(t, { profile: { allowlist: [{ pattern: "mcp:s **" }] } });
  const text = { command: "mcp:s t a=1", cwd: hub.workspace };
  const refused = { code: "INVALID_PARAMS" };
  await assert.rejects(hub.hub.proposals.propose(text, LOCAL_AGENT), refused);
  await assert.rejects(hub.hub.proposals.proposeExternal(text, LOCAL_AGENT, "none"), refused);
  assert.equal((await hub.hub.explain(text)).decision.verdict, "allow");
});

test("limits have codes", async (t) => {
  const hub = await openHub(t);
  const names = { server: "s", tool: "t" };
  let deep: unknown = 1;
  for (let level = 0; level < 100; level += 1) deep = { deep };
  const rows: readonly [object, string, RegExp][] = [
    [{ ...names, arguments: { text: "x".repeat(70_000) } }, "LIMIT", /limit: toolCall\b/],
    [{ ...names, arguments: { deep } }, "LIMIT", /limit: toolCallDepth/],
    [{ ...names, arguments: [] }, "INVALID_PARAMS", /arguments/],
    [{ ...names, arguments: {}, server: "" }, "INVALID_PARAMS", /server/],
    [{ ...names, arguments: {}, tool: "x".repeat(300) }, "INVALID_PARAMS", /tool/],
    [{ ...names, arguments: {}, tool: "a\0" }, "INVALID_PARAMS", /name/],
  ];
  for (const [given, code, message] of rows) await assert.rejects(call(hub, given), { code, message });
});

test("aborting withdraws the question", async (t) => {
  const hub = await openHub(t);
  const gone = new AbortController();
  const passing = call(hub, { server: "s", tool: "t", arguments: {} }, { signal: gone.signal });
  await hub.asked();
  gone.abort();
  const passed = await passing;
  assert.ok("outcome" in passed);
  assert.equal(passed.outcome.kind, "cancelled");
});
