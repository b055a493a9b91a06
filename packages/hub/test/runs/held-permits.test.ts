import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CLAUDE, permitFor, recorded, runClaim, serveClaims } from "../support/claimed-run.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { ALICE, openHub } from "../support/open-hub.ts";
import { eventually } from "../support/serve-fixture.ts";

const DENIED = { code: 126, signal: null, stdout: "" };

test("a permit is claimed once, by whom it was given to", async (t) => {
  const server = await serveClaims(t);
  const permit = await permitFor(server, "echo ran");
  const foreign = {
    ...DENIED,
    stderr:
      "countersign: There's no such permit, or it isn't this agent's; nothing was run. Propose the command again.\n",
  };
  assert.deepEqual(await runClaim(server, permit, { agent: "codex" }), foreign);
  assert.deepEqual(await runClaim(server, { id: "01890000-0000-7000-8000-000000000000" }), foreign);
  const [one, other] = await Promise.all([runClaim(server, permit), runClaim(server, permit)]);
  const [first, second] = one.code === 0 ? [one, other] : [other, one];
  assert.deepEqual(first, { code: 0, signal: null, stdout: "ran\n", stderr: "" });
  assert.deepEqual(second, {
    ...DENIED,
    stderr: "countersign: This permit was used already; nothing was run. Propose the command again.\n",
  });
  assert.deepEqual(await recorded(server), [
    { type: "decided" },
    { type: "started" },
    { type: "ended", kind: "exited" },
  ]);
});

test("the same proposal has one permit; when that is claimed, everything that it binds is looked at again", async (t) => {
  const server = await serveClaims(t);
  const [one, other] = await Promise.all([0, 1].map(() => permitFor(server, "echo ran", { proposalId: "tool-1" })));
  assert.equal(one?.id, other?.id);
  assert(one);
  assert.equal((await runClaim(server, one)).stdout, "ran\n");
  const raw = { command: "echo ran", cwd: server.workspace, session: "claude-code:one", proposalId: "tool-1" };
  const again = await server.served.hub.proposals.proposeClaimed(raw, CLAUDE, new AbortController());
  assert("outcome" in again && again.outcome.kind === "exited");

  const directory = join(server.workspace, "there");
  mkdirSync(directory);
  const script = join(server.workspace, "script.sh");
  writeFileSync(script, "echo one");
  const gone = await permitFor(server, "echo ran", { cwd: directory });
  const changed = await permitFor(server, "bash script.sh");
  rmSync(directory, { recursive: true });
  writeFileSync(script, "echo two");
  for (const permit of [gone, changed]) {
    const { stderr, ...end } = await runClaim(server, permit);
    assert.deepEqual(end, DENIED);
    assert.match(stderr, /did not start: Not started: .* changed after the decision/);
  }
  const paused = await permitFor(server, "echo ran");
  await server.call("/api/v1/pause", { method: "POST", body: {} });
  const { stderr, ...end } = await runClaim(server, paused);
  assert.deepEqual(end, DENIED);
  assert.match(stderr, /was paused before the command started/);
});

test("what nobody claims in time is recorded, and can't be claimed any more", async (t) => {
  const clock = new FakeClock();
  const server = await serveClaims(t, { clock });
  const permit = await permitFor(server, "echo ran");
  clock.advance(600_000);
  const { stderr, ...end } = await runClaim(server, permit);
  assert.deepEqual(
    [end, stderr],
    [DENIED, "countersign: This permit has expired; nothing was run. Propose the command again.\n"],
  );
  const reason = "It was permitted, and nothing started it within 10 min";
  assert.deepEqual(await recorded(server), [{ type: "decided" }, { type: "ended", kind: "not-started", reason }]);
});

test("only so many are held, and each refusal names the limit", async (t) => {
  const server = await serveClaims(t, { limits: { heldPermits: 3, heldPermitsPerSession: 2 } });
  const propose = async (session: string) => {
    const raw = { command: "echo ran", cwd: server.workspace, session };
    return await server.served.hub.proposals.proposeClaimed(raw, CLAUDE, new AbortController());
  };
  const held = [await propose("one"), await propose("one"), await propose("two")];
  assert(held.every((one) => "permit" in one));
  const [ofSession, ofAll] = [await propose("one"), await propose("two")];
  assert("outcome" in ofSession && ofSession.outcome.kind === "not-started" && "outcome" in ofAll);
  assert.match(ofAll.outcome.reason ?? "", /limit: heldPermits\)/);
});

test("a hub that stops puts on record what it permitted and nobody claimed", async (t) => {
  const server = await serveClaims(t);
  const permit = await permitFor(server, "echo ran");
  await server.served.close();
  const reason = "Countersign is shutting down";
  assert.deepEqual(await recorded(server), [{ type: "decided" }, { type: "ended", kind: "not-started", reason }]);
  const { stderr, ...end } = await runClaim(server, permit);
  assert.deepEqual(end, DENIED);
  assert.match(stderr, /^countersign: No hub answers at .*\. Nothing was run\. Start the hub/);
});

test("a hub that is killed runs nothing of it when it comes back: neither what was permitted nor what is allowed then", async (t) => {
  const h = await openHub(t, {
    config: { agents: { "claude-code": { profile: "default" } } },
    profile: { ask: "always" },
  });
  const propose = () => {
    const raw = { command: "touch ran", cwd: h.workspace, session: "claude-code:one" };
    return h.hub.proposals.proposeClaimed(raw, CLAUDE, new AbortController());
  };
  const permitted = propose();
  await h.hub.answer((await h.asked()).approvalId, { decision: "allow-once" }, ALICE);
  assert("permit" in (await permitted));
  const waiting = propose();
  waiting.catch(() => undefined);
  await h.asked();
  await h.crashAndReopen();
  await h.hub.answer((await h.asked()).approvalId, { decision: "allow-once" }, ALICE);
  // Long enough for whoever was cut off to come back.
  h.clock.advance(10_000);
  const [first, second] = await eventually(async () => {
    const ended = (await h.store.ledger({ afterSeq: 0, limit: 100 })).filter(({ type }) => type === "ended");
    return ended.length === 2 && ended.map(({ body }) => body);
  });
  assert.deepEqual([first?.kind, second?.kind], ["not-started", "not-started"]);
  assert(!existsSync(join(h.workspace, "ran")));
});
