import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import type { LedgerEntry } from "@countersign/store";
import { issuePermit, type Permit } from "../../src/permits/permit.ts";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";

/** Proposes, waits for the question, lets `meanwhile` happen, then allows. */
async function allowAfter(hub: TestHub, command: string, meanwhile: () => void | Promise<void>) {
  const outcome = hub.propose(command);
  const { approvalId } = await hub.asked();
  await meanwhile();
  await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
  return await outcome;
}

test("a script that changed after the question was asked doesn't run", async (t) => {
  const hub = await openHub(t);
  const script = join(hub.workspace, "build.sh");
  writeFileSync(script, "touch built\n");
  const changed = await allowAfter(hub, "sh build.sh", () => writeFileSync(script, "touch stolen\n"));
  assert.deepEqual(
    [changed.kind, changed.reason],
    ["not-started", `Not started: ${script} changed after the decision`],
  );
  assert.equal(existsSync(join(hub.workspace, "stolen")), false);
  const same = await allowAfter(hub, "sh build.sh", () => writeFileSync(script, "touch stolen\n"));
  assert.equal(same.kind, "exited", "the same bytes are the same script");
});

test("a script that appears, disappears or is swapped by a link after the question doesn't run", async (t) => {
  const hub = await openHub(t);
  const script = join(hub.workspace, "tool");
  const mode = { mode: 0o755 };
  const appeared = await allowAfter(hub, "./tool", () => writeFileSync(script, "#!/bin/sh\ntouch stolen\n", mode));
  assert.equal(appeared.kind, "not-started");
  writeFileSync(join(hub.workspace, "other"), "#!/bin/sh\ntouch stolen\n", mode);
  writeFileSync(script, "#!/bin/sh\ntouch made\n", mode);
  const swapped = await allowAfter(hub, "./tool", () => {
    rmSync(script);
    symlinkSync("other", script);
  });
  assert.equal(swapped.kind, "not-started");
  assert.equal(existsSync(join(hub.workspace, "stolen")), false);
});

test("Makefile and package.json are code of what runs them", async (t) => {
  const hub = await openHub(t);
  for (const [file, command] of [
    ["Makefile", "make all"],
    ["package.json", "npm test"],
  ] as const) {
    writeFileSync(join(hub.workspace, file), "first");
    const outcome = await allowAfter(hub, command, () => writeFileSync(join(hub.workspace, file), "second"));
    assert.equal(outcome.kind, "not-started", command);
  }
});

for (const jailed of [false, true]) {
  const where = jailed ? "in a jail" : "without one";
  test(`a working directory that vanished, became a file or a link out doesn't start, ${where}`, async (t) => {
    const hub = await openHub(t, { jailed });
    const why = (await hub.hub.state()).warnings.find((text) => text.startsWith("Commands run without a jail"));
    if (jailed && why !== undefined) return t.skip(why);
    const dir = join(hub.workspace, "sub");
    for (const swap of [() => undefined, () => symlinkSync("/", dir), () => writeFileSync(dir, "")]) {
      mkdirSync(dir);
      const outcome = hub.propose("touch made", { cwd: dir });
      const { approvalId } = await hub.asked();
      renameSync(dir, join(hub.workspace, "moved"));
      swap();
      await hub.hub.answer(approvalId, { decision: "allow-once" }, ALICE);
      const { kind, reason } = await outcome;
      const said = `Not started: the working directory ${dir} changed after the decision`;
      assert.deepEqual([kind, reason], ["not-started", said]);
      assert.ok(!existsSync(join(hub.workspace, "moved/made")));
      rmSync(dir, { recursive: true, force: true });
      rmSync(join(hub.workspace, "moved"), { recursive: true, force: true });
    }
  });
}

test("a policy that changed meanwhile is asked again: a denial refuses, anything else leaves the person's answer", async (t) => {
  const hub = await openHub(t);
  const denied = await allowAfter(hub, "touch made", () =>
    hub.writeProfile({ denylist: [{ pattern: "touch **", why: "no touching" }] }),
  );
  assert.deepEqual([denied.kind, denied.by], ["not-started", "deny-entry"]);
  assert.match(denied.reason ?? "", /no touching/);
  hub.writeProfile({});
  // Dropping the deny entry widens: it stays in force until somebody allows the edit.
  const [edit] = await (async () => {
    await hub.propose("ls");
    return await hub.hub.approvals.list({ limit: 10 });
  })();
  assert.equal(edit?.subject, "policy");
  await hub.hub.answer(edit?.approvalId, { decision: "allow-once" }, ALICE);
  const tightened = await allowAfter(hub, "touch made", () => hub.writeProfile({ timeoutMs: 1_000 }));
  assert.equal(tightened.kind, "exited");
});

test("a permit works once, expires, and is made only from the ledger's own decision to allow it", async (t) => {
  const hub = await openHub(t);
  const passed = await hub.hub.proposals.proposeExternal({ command: "ls", cwd: hub.workspace }, LOCAL_AGENT, "none");
  assert.ok("permit" in passed);
  const { assessment, decided } = passed.permit;
  const fresh = (): Permit => issuePermit({ assessment, entry: decided }, hub.clock, 60_000);

  assert.equal(passed.permit.use(hub.clock), "used", "handing it over has used it");
  const permit = fresh();
  assert.equal(permit.use(hub.clock), "ok");
  assert.equal(permit.use(hub.clock), "used");
  const old = fresh();
  hub.clock.advance(60_000);
  assert.equal(old.use(hub.clock), "expired");

  const forged: Partial<LedgerEntry>[] = [
    { type: "ended" },
    { proposalKey: "another" },
    { body: { ...decided.body, verdict: "deny" } },
    { body: { ...decided.body, binding: `sha256:${"0".repeat(64)}` } },
  ];
  for (const change of forged) {
    assert.throws(() => issuePermit({ assessment, entry: { ...decided, ...change } }, hub.clock, 60_000));
  }
});

test("only so many permits are out with their ends untold, and no session has all of them", async (t) => {
  const hub = await openHub(t, { limits: { permitsOut: 2, permitsOutPerSession: 1, running: 1 } });
  const propose = (session: string) =>
    hub.hub.proposals.proposeExternal({ command: "ls", cwd: hub.workspace, session }, LOCAL_AGENT, "none");
  const first = await propose("one");
  assert("permit" in first);
  const again = await propose("one");
  assert("outcome" in again && /limit: permitsOutPerSession/.test(again.outcome.reason ?? ""));
  assert("permit" in (await propose("two")));
  const third = await propose("three");
  assert("outcome" in third && /limit: permitsOut\)/.test(third.outcome.reason ?? ""));
  await hub.hub.report(first.permit.id, { kind: "exited", exitCode: 0 }, LOCAL_AGENT);
  assert("permit" in (await propose("three")));
});
