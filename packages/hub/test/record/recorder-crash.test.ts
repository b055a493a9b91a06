import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { homeAt } from "@countersign/core/config";
import { childScript } from "../programs/child-script.ts";
import { emitted, frame, openEmitter, startRecording } from "../support/emitter-fixture.ts";
import { eventually, scratch, TOKEN } from "../support/serve-fixture.ts";

async function startHub(t: TestContext, { homeDir, workspace }: { homeDir: string; workspace: string }) {
  const script = childScript("serve");
  const env = { ...process.env, COUNTERSIGN_TOKEN: TOKEN };
  const child = spawn(process.execPath, [script, homeDir, workspace], { env, stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  assert.ok(JSON.parse(line).url, line);
  return child;
}

test("a recorder that is killed has every frame that it answered, once, and takes up where it was", async (t) => {
  const place = scratch(t);
  const hub = await startHub(t, place);
  const emitter = await openEmitter(t, homeAt(place.homeDir).recorderSocket);
  const keyed = (n: number) => frame({ ack: true, idempotency_key: `k-${n}`, drop_count: n % 10 === 0 ? 1 : 0 });
  const frames = Array.from({ length: 3_000 }, (_, n) => keyed(n));
  emitter.send(...frames);
  const wanted = randomInt(1, 1_500);
  await emitter.answers(wanted);
  hub.kill("SIGKILL");
  await once(hub, "exit");
  await emitter.closed();
  const answered = await emitter.answers(wanted);

  const later = await startRecording(t, { homeDir: place.homeDir });
  const kept = await emitted(later);
  const keysOf = (receipts: typeof kept) =>
    receipts.flatMap(({ credentialSubject: { action } }) => action.idempotency_key ?? []);
  // In the order in which they came, without a gap, at least as many as were answered.
  assert.deepEqual(
    keysOf(kept),
    Array.from({ length: keysOf(kept).length }, (_, n) => `k-${n}`),
  );
  assert.ok(keysOf(kept).length >= answered.length);

  const again = await openEmitter(t, later.path);
  again.send(...frames);
  const answers = await again.answers(frames.length);
  assert.deepEqual(answers.slice(0, answered.length), answered);
  const all = await emitted(later);
  assert.deepEqual(
    keysOf(all),
    frames.map((_, n) => `k-${n}`),
  );
  const drops = all.reduce(
    (sum, { credentialSubject: { action } }) => sum + (action.emitter_metadata?.drop_count ?? 0),
    0,
  );
  assert.equal(drops, 300);
  await eventually(() => later.counted("repeated") === keysOf(kept).length);
});
