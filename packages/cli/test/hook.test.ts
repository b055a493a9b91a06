import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { claudeEvent, HookPlace } from "./hook-fixture.ts";

const GATE = { "config.json": { agents: { "claude-code": { mode: "gate" } } } };
const allowed = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };

test("Claude Code asks before it runs a command, and is answered in its own form", async (t) => {
  const place = await HookPlace.open(t, GATE);
  const safe = await place.hook("claude-code", claudeEvent(place, "ls -la"));
  assert.deepEqual({ ...safe, stdout: JSON.parse(safe.stdout) }, { code: 0, stderr: "", stdout: allowed });

  const asking = place.hook("claude-code", claudeEvent(place, "rm -rf build"));
  const [card] = await untilAsked(place);
  assert.equal(card.agentName, "claude-code");
  assert.equal(card.agentId, "claude-code:0199c1de-5d1e-7000-8000-000000000001");
  assert.equal(card.enforcement, "none");
  assert.equal(card.reason, "What it is for");
  await place.api("POST", `/api/v1/approvals/${card.approvalId}/decision`, { decision: "deny", reason: "Keep it" });
  const denied = await asking;
  assert.equal(denied.code, 0);
  assert.deepEqual(JSON.parse(denied.stdout), {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: JSON.parse(denied.stdout).hookSpecificOutput.permissionDecisionReason,
    },
  });
  assert.match(denied.stdout, /Denied by .*: Keep it\. Do not reach the same effect another way/);
});

test("no hub, another hub and half an event are denied by the hook itself", async (t) => {
  const place = await HookPlace.open(t);
  const event = claudeEvent(place, "ls");
  const nobody = await place.hook("claude-code", event, { home: "/nowhere" });
  assert.equal(JSON.parse(nobody.stdout).hookSpecificOutput.permissionDecision, "deny");
  assert.match(nobody.stdout, /the hub isn't running \(\/nowhere\); start it with `countersign serve`/);
  const other = await place.hook("claude-code", event, { key: "A".repeat(43) });
  assert.equal(JSON.parse(other.stdout).hookSpecificOutput.permissionDecision, "deny");
  assert.match(other.stdout, /isn't signed by the hub that was installed/);
  const half = await place.hook("claude-code", event, { stdin: JSON.stringify(event).slice(0, -9) });
  assert.equal(half.code, 2);
  assert.match(half.stderr, /isn't whole JSON/);
});

// biome-ignore lint/suspicious/noExplicitAny: what the server says is what the tests look at
async function untilAsked(place: HookPlace): Promise<any[]> {
  for (;;) {
    const cards = await place.api("GET", "/api/v1/approvals");
    if (cards.length > 0) return cards;
    await sleep(5);
  }
}
