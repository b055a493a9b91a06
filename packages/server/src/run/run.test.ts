import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openHub } from "../../test/open-hub.ts";

test("a command that the system won't start has no output and no exit code, and its record no hash of one", async (t) => {
  const { propose, store, workspace } = await openHub(t, { profile: { security: "full", ask: "off" } });
  const marker = join(workspace, "marker");
  // Each is within the limits; together they are more than an exec takes (a quarter of the stack's limit).
  const env = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`N${n}`, "x".repeat(32_000)]));
  const { receipt, ...outcome } = await propose(`touch ${marker}`, { env });
  const reason = "bash could not be started: the command and its environment are too long for this system";
  assert.deepEqual(outcome, { kind: "not-started", reason, by: "policy" });
  assert.ok(!existsSync(marker));
  const ended = (await store.ledger({ afterSeq: 0, limit: 100 })).find((entry) => entry.hash === receipt);
  assert.deepEqual(ended?.body, { kind: "not-started", reason, by: "policy", reportedBy: "hub" });
});

test("secrets are filtered from both streams, and a truncated one says so", async (t) => {
  const { propose } = await openHub(t, {
    profile: { security: "full", ask: "off" },
    config: { tools: { maxOutputBytes: 2_048 } },
  });
  const key = `sk-ant-${"k".repeat(30)}`;
  const command = `echo ${key}; echo OPENAI_API_KEY=x >&2; for i in {1..500}; do echo line $i; done`;
  const { stdout = "", stderr, truncated } = await propose(command);
  assert.deepEqual([stderr, truncated], ["OPENAI_API_KEY=[REDACTED]\n", true]);
  assert.match(stdout, /^\[REDACTED\]\nline 1\n.*\n\[… \d+ bytes left out …\]\n.*line 500\n$/s);
});

test("the hub's own secrets aren't in a command's environment", async (t) => {
  const { propose } = await openHub(t, { profile: { security: "full", ask: "off" } });
  const names = [
    "ANTHROPIC_API_KEY",
    "COUNTERSIGN_TOKEN",
    "COUNTERSIGN_HOME",
    "MY_SECRET",
    "PGPASSWORD",
    "AWS_PROFILE",
    "OTHER",
  ];
  for (const name of names) {
    assert.equal(process.env[name], undefined);
    process.env[name] = "of-the-hub";
  }
  t.after(() => {
    for (const name of names) delete process.env[name];
  });
  const { stdout } = await propose("env");
  assert.match(stdout ?? "", /^PATH=/m);
  assert.doesNotMatch(stdout ?? "", /of-the-hub/);
});
