import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AGENT_EVENTS, denialOf, EVENTS_WITHOUT_SENSE } from "./agent-events.ts";
import type { Ended } from "./countersign.ts";
import { Place } from "./countersign.ts";
import { FALSE_HUBS, replaying, standIn } from "./false-hub.ts";
import { callHook, claudeEvent, HookPlace } from "./hook-fixture.ts";

const GATED = Object.fromEntries(["claude-code", "codex", "gemini", "cursor"].map((name) => [name, { mode: "gate" }]));
const GATE = { "config.json": { agents: GATED } };
const allowed = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };

let place: HookPlace;
const ends: (() => unknown)[] = [];
before(async () => {
  place = await HookPlace.open({ after: (end) => ends.push(end) }, GATE);
});
after(async () => {
  for (const end of ends) await end();
});

/** Of Claude Code: the reason, where it is a denial in its own form and nothing else. */
function deniedBecause({ code, stdout, stderr }: Ended): string {
  const { hookSpecificOutput, ...rest } = JSON.parse(stdout);
  const { permissionDecisionReason, ...decision } = hookSpecificOutput;
  assert.deepEqual(
    { code, stderr, rest, decision },
    { code: 0, stderr: "", rest: {}, decision: { hookEventName: "PreToolUse", permissionDecision: "deny" } },
  );
  return permissionDecisionReason;
}

test("Claude Code asks before it runs a command, and is answered in its own form", async () => {
  const safe = await place.hook("claude-code", claudeEvent(place, "ls -la"));
  assert.deepEqual({ ...safe, stdout: JSON.parse(safe.stdout) }, { code: 0, stderr: "", stdout: allowed });

  const asking = place.hook("claude-code", claudeEvent(place, "rm -rf build"));
  const [card] = await untilAsked();
  assert.equal(card.agentName, "claude-code");
  assert.equal(card.agentId, "claude-code:0199c1de-5d1e-7000-8000-000000000001");
  assert.equal(card.enforcement, "none");
  assert.equal(card.reason, "What it is for");
  await place.api("POST", `/api/v1/approvals/${card.approvalId}/decision`, { decision: "deny", reason: "Keep it" });
  const why = deniedBecause(await asking);
  assert.match(why, /^Denied by .*: Keep it\. Do not reach the same effect another way/);
});

test("each agent is allowed and denied in its own form, by its own process", async () => {
  for (const [agent, event] of Object.entries(AGENT_EVENTS)) {
    const safe = await place.hook(agent, event(place.workspace, "ls"));
    assert.equal(safe.code, 0);
    assert.equal(denialOf(agent, safe), undefined, agent);
    const nobody = await place.hook(agent, event(place.workspace, "ls"), { home: "/nowhere" });
    assert.match(
      denialOf(agent, nobody) ?? "",
      /the hub isn't running \(\/nowhere\); start it with `countersign serve`/,
    );
  }
});

test("no false hub is believed, and none is waited for past the deadline", async (t) => {
  const event = claudeEvent(place, "ls");
  await Promise.all(
    Object.entries(FALSE_HUBS).map(async ([name, falseHub]) => {
      const home = await standIn(t, falseHub);
      const ended = await place.hook("claude-code", event, { home, deadlineMs: 3_000 });
      // In its own form, or as every agent knows it where the deadline came before the event was read.
      assert.match(
        denialOf("claude-code", ended) ?? "",
        /^Countersign couldn't decide, so this isn't allowed: ./,
        name,
      );
    }),
  );
});

test("an answer counts for one question; a socket that leads elsewhere is no hub", async (t) => {
  const home = await standIn(t, replaying(place.served.home.socket));
  const first = await place.hook("claude-code", claudeEvent(place, "ls"), { home });
  assert.deepEqual(JSON.parse(first.stdout), allowed);
  assert.match(
    deniedBecause(await place.hook("claude-code", claudeEvent(place, "rm -rf /"), { home })),
    /isn't signed by/,
  );
  const other = await standIn(t, FALSE_HUBS["signs with another key"] ?? (() => undefined));
  const linked = `${other}-linked`;
  symlinkSync(other, linked);
  t.after(() => rmSync(linked));
  assert.match(
    deniedBecause(await place.hook("claude-code", claudeEvent(place, "ls"), { home: linked })),
    /isn't signed by/,
  );
  const key = "A".repeat(43);
  assert.match(deniedBecause(await place.hook("claude-code", claudeEvent(place, "ls"), { key })), /isn't signed by/);
});

test("what an agent can't have meant is blocked in the way that every agent knows", async () => {
  for (const stdin of EVENTS_WITHOUT_SENSE) {
    const { code, stdout, stderr } = await place.hook("claude-code", {}, { stdin });
    assert.deepEqual([code, stdout], [2, ""], stdin.slice(0, 40));
    assert.match(stderr, /^Countersign couldn't decide, so this isn't allowed: ./);
  }
  const { code, stderr } = await callHook([], claudeEvent(place, "ls"));
  assert.equal(code, 2);
  assert.match(stderr, /there's no agent/);
});

test("ten megabytes, an open stdin, no key, no reader: a denial, before the agent's patience ends", async () => {
  const event = claudeEvent(place, `echo ${"x".repeat(10_000_000)}`);
  assert.match(deniedBecause(await place.hook("claude-code", event)), /limit: hookBytes/);
  const endless = await place.hook("claude-code", {}, { stdin: Buffer.alloc(17 * 1024 * 1024, "x") });
  assert.deepEqual([endless.code, endless.stdout], [2, ""]);
  assert.match(endless.stderr, /larger than/);
  const open = await place.hook("claude-code", {}, { stdin: "{", open: true, deadlineMs: 300 });
  assert.deepEqual([open.code, open.stdout], [2, ""]);
  assert.match(open.stderr, /no answer within 300 ms/);
  // Whole, it is answered whether or not its end comes; with anything behind it, it isn't whole.
  const whole = JSON.stringify(claudeEvent(place, "ls"));
  assert.deepEqual(JSON.parse((await place.hook("claude-code", {}, { stdin: whole, open: true })).stdout), allowed);
  assert.equal((await place.hook("claude-code", {}, { stdin: `${whole}{}` })).code, 2);
  const noKey = { key: `${"A".repeat(42)}!` };
  assert.match(deniedBecause(await place.hook("claude-code", claudeEvent(place, "ls"), noKey)), /its hook failed/);
  const asked = ["claude-code", "--home", place.home, "--deadline-ms", "300"];
  assert.equal((await callHook(asked, claudeEvent(place, "ls"))).code, 2);
  const unread = await place.hook("claude-code", claudeEvent(place, "ls"), { stdout: "ignore" });
  assert.equal(unread.code, 2);
  assert.match(unread.stderr, /can't be read by the agent/);
});

test("an event with a key twice is denied, and one over several lines is read", async () => {
  const event = JSON.stringify(claudeEvent(place, "ls"));
  const twice = event.replace('"command":"ls"', '"command":"ls","command":"rm -rf ."');
  assert.notEqual(twice, event);
  const denied = await place.hook("claude-code", {}, { stdin: twice });
  assert.match(deniedBecause(denied), /A key that occurs twice at position/);
  const lines = JSON.stringify(claudeEvent(place, "ls"), null, 2).replaceAll("\n", "\r\n");
  assert.deepEqual(JSON.parse((await place.hook("claude-code", {}, { stdin: lines })).stdout), allowed);
});

test("variables, also those of Countersign, change nothing", async () => {
  const env = { COUNTERSIGN_HOME: "/nowhere", COUNTERSIGN_TOKEN: "x", HOME: "/nowhere", PATH: "/nowhere" };
  const { stdout } = await place.hook("claude-code", claudeEvent(place, "ls"), { env });
  assert.deepEqual(JSON.parse(stdout), allowed);
});

test("`countersign hook` says what the file says", async (t) => {
  const elsewhere = new Place(t);
  const asking = elsewhere.start(["hook", "claude-code", "--home", place.home]);
  asking.child.stdin?.end(JSON.stringify(claudeEvent(place, "ls")));
  const { code, stdout } = await asking.ended;
  assert.deepEqual([code, JSON.parse(stdout)], [0, allowed]);
  const lost = elsewhere.start(["hook", "claude-code", "--home", join(place.home, "none")]);
  lost.child.stdin?.end(JSON.stringify(claudeEvent(place, "ls")));
  assert.equal((await lost.ended).code, 2);
});

// biome-ignore lint/suspicious/noExplicitAny: what the server says is what the tests look at
async function untilAsked(): Promise<any[]> {
  for (;;) {
    const cards = await place.api("GET", "/api/v1/approvals");
    if (cards.length > 0) return cards;
    await sleep(5);
  }
}
