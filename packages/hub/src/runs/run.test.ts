import assert from "node:assert/strict";
import { test } from "node:test";
import { openHub } from "../../test/support/open-hub.ts";

test("an environment longer than a card could show is refused before anything is asked", async (t) => {
  const { propose, store } = await openHub(t, { profile: { security: "full", ask: "off" } });
  const env = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`N${n}`, "x".repeat(32_000)]));
  await assert.rejects(propose("true", { env }), { code: "INVALID_PARAMS", message: /env: is longer than/ });
  assert.deepEqual(await store.openProposals(), []);
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
