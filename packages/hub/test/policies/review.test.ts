import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { profileSchema } from "@countersign/policy";
import { replay } from "../../src/history/review/replay.ts";
import { suggest } from "../../src/history/review/suggest.ts";
import { openOffline } from "../../src/policies/offline-policies.ts";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

const DAY = 86_400_000;

/** Proposes, and has a person answer. */
async function answered(hub: TestHub, command: string, decision: "allow-once" | "deny", more: object = {}) {
  const outcome = hub.propose(command, more);
  await hub.hub.answer((await hub.asked()).approvalId, { decision }, ALICE);
  await outcome;
}

async function lookingAt<T>(hub: TestHub, look: (offline: Awaited<ReturnType<typeof openOffline>>) => Promise<T>) {
  const offline = await openOffline(hub.home.dir);
  try {
    return await look(offline);
  } finally {
    await offline.close();
  }
}

function replayed(hub: TestHub, block: object, profileId = "default") {
  const profile = profileSchema.parse(block);
  return lookingAt(hub, (offline) => replay(offline, { profileId, profile, sinceMs: 0, nowMs: hub.clock.wallMs() }));
}

function suggested(hub: TestHub, nowMs = hub.clock.wallMs()) {
  return lookingAt(hub, (offline) => suggest(offline, { profileId: "default", sinceMs: 0, nowMs }));
}

test("replay tells each command once that another profile would decide otherwise", async (t) => {
  const hub = await openHub(t, { profile: { allowlist: [{ pattern: "touch **" }] } });
  for (const command of ["ls", "ls", "touch a", "touch a", "touch b"]) await hub.propose(command);
  await answered(hub, "mkdir c", "allow-once");
  await answered(hub, "mkdir d", "deny");
  const { workspace: cwd } = hub;
  const why = "Not everything in the command is safe or covered by an entry";
  const result = await replayed(hub, {
    denylist: [{ pattern: "ls **", why: "no" }],
    allowlist: [{ pattern: "mkdir **" }],
  });
  assert.deepEqual(
    { ...result, changes: result.changes.toSorted((a, b) => a.command.localeCompare(b.command)) },
    {
      complete: true,
      fromMs: hub.clock.wallMs(),
      proposals: 7,
      redacted: 0,
      counts: { "allow → deny": 2, "allow → ask": 3, "ask → allow": 2 },
      changes: [
        { command: "ls", cwd, count: 2, from: "allow", to: "deny", reason: "no" },
        { command: "mkdir c", cwd, count: 1, from: "ask", to: "allow", reason: "Covered by mkdir **" },
        { command: "mkdir d", cwd, count: 1, from: "ask", to: "allow", reason: "Covered by mkdir **" },
        { command: "touch a", cwd, count: 2, from: "allow", to: "ask", reason: why },
        { command: "touch b", cwd, count: 1, from: "allow", to: "ask", reason: why },
      ],
    },
  );
  assert.deepEqual((await replayed(hub, { allowlist: [{ pattern: "touch **" }] })).changes, []);
  assert.deepEqual((await replayed(hub, {}, "other")).proposals, 0, "others' proposals aren't asked about");
});

test("replay leaves out what a secret was taken from", async (t) => {
  const hub = await openHub(t, { profile: { security: "full" } });
  await hub.propose(`echo ghp_${"a".repeat(36)}`);
  const { proposals, redacted } = await replayed(hub, { security: "deny" });
  assert.deepEqual([proposals, redacted], [0, 1]);
});

test("what a person always allowed is suggested, for the repository that it ran in", async (t) => {
  const hub = await openHub(t);
  mkdirSync(join(hub.workspace, ".git"));
  mkdirSync(join(hub.workspace, "deep"));
  const deep = { cwd: join(hub.workspace, "deep") };
  for (const session of ["one", "two", "two"]) await answered(hub, "touch made", "allow-once", { session });
  await answered(hub, "touch made", "allow-once", { session: "two", ...deep });
  for (let times = 0; times < 3; times += 1) {
    await answered(hub, "rm -rf made", "allow-once");
    await answered(hub, "mkdir -p x", "allow-once");
  }
  await answered(hub, "mkdir -p x", "deny");
  await answered(hub, "touch twice", "allow-once");
  await answered(hub, "touch twice", "allow-once");
  const found = await suggested(hub);
  assert.equal(found.length, 1);
  assert(found[0]?.kind === "allow");
  const { entries, ...rest } = found[0];
  assert.deepEqual(rest, { kind: "allow", command: "touch made", directory: hub.workspace, allowed: 4, sessions: 2 });
  assert.deepEqual(
    entries.map(({ pattern, directory }) => [pattern, directory]),
    [["touch **", hub.workspace]],
  );
  const change = { action: "allow", entries: [{ pattern: "touch **" }] };
  await hub.hub.policyEdits.edit({ profile: "default", change }, ALICE);
  assert.deepEqual(await suggested(hub), [], "what is allowed already isn't suggested");
});

test("entries that nobody needs are suggested for removal", async (t) => {
  const allowlist = [{ pattern: "touch **" }, { pattern: "mkdir **" }, { pattern: "bash **" }, { pattern: "cp **" }];
  const hub = await openHub(t, { profile: { allowlist, denylist: [{ pattern: "shutdown **" }] } });
  await hub.propose("mkdir a");
  for (let times = 0; times < 10; times += 1) await hub.propose("touch made");
  const found = (await suggested(hub, hub.clock.wallMs() + DAY)).map((one) =>
    one.kind === "remove" ? [one.pattern, one.why, one.instead] : one,
  );
  assert.deepEqual(found, [
    ["touch **", "It has no ceiling, and few commands used it", ["touch made"]],
    ["bash **", "It is too broad: the pattern would cover whatever bash runs", undefined],
  ]);
  const later = await suggested(hub, hub.clock.wallMs() + 91 * DAY);
  assert.deepEqual(
    later.map((one) => (one.kind === "remove" ? [one.pattern, one.why] : one)),
    [
      ["touch **", "Not used for 91 days"],
      ["mkdir **", "Not used for 91 days"],
      ["bash **", "It is too broad: the pattern would cover whatever bash runs"],
      ["cp **", "Not used for 91 days"],
    ],
  );
});

test("a home that was never served has no past", async (t) => {
  const hub = await openHub(t);
  const offline = await openOffline(join(hub.workspace, "none"));
  const wish = { profileId: "default", sinceMs: 0, nowMs: 0 };
  assert.deepEqual(await suggest(offline, wish), []);
  assert.equal((await replay(offline, { ...wish, profile: profileSchema.parse({}) })).proposals, 0);
  await offline.close();
});
