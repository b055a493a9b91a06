import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { serve } from "@countersign/hub";
import { generateDeviceKey } from "@countersign/sdk";
import { findHub } from "../src/connect/find-hub.ts";
import { signatureOver } from "../src/hub-calls/sign.ts";

/** A hub whose policy takes only a device's word, and where somebody else's device signs already. */
async function careful(t: TestContext) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "cs-enrol-")));
  const [home, elsewhere] = [join(scratch, "home"), join(scratch, "elsewhere")];
  const served = await serve({ homeDir: home, cwd: scratch, port: 0, log: silentLog });
  t.after(async () => {
    await served.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const { code } = await served.pairing.start();
  const claim = { code, name: "phone", publicKey: (await generateDeviceKey()).publicKey, secret: "s".repeat(24) };
  const headers = { "content-type": "application/json" };
  await fetch(`${served.url}/api/v1/pairing/claim`, { method: "POST", headers, body: JSON.stringify(claim) });
  const seen = await served.pairing.see(code, { waitMs: 0 });
  assert.equal(seen.state, "claimed");
  await served.pairing.confirm(code, seen);
  mkdirSync(join(served.home.profiles, "careful"), { recursive: true });
  writeFileSync(join(served.home.profiles, "careful", "config.json"), '{"execApproval":{"assurance":"device"}}');
  return { home, elsewhere, served };
}

const CHANGE = { approvalId: "token:agent", content: { name: "codex", role: "agent", unattended: false } };

test("where devices are let in by pairing only, this machine's terminal comes in by the socket, and signs", async (t) => {
  const { home, served } = await careful(t);
  const options = { home };
  const hub = await findHub(options);
  const { signature, keyId } = await signatureOver(CHANGE, hub, options);
  assert.ok(signature);
  assert.equal((await served.hub.devices.list()).filter(({ publicKey }) => publicKey !== null).length, 2);
  assert.equal((await signatureOver(CHANGE, hub, options)).keyId, keyId, "it is known from then on");
});

test("a terminal elsewhere isn't let in there; its answers go as they are", async (t) => {
  const { home, elsewhere, served } = await careful(t);
  const { url, token } = await findHub({ home });
  // It has a key, of a hub of its own.
  const own = await serve({ homeDir: elsewhere, cwd: elsewhere.replace(/\/elsewhere$/, ""), port: 0, log: silentLog });
  t.after(() => own.close());
  assert.ok((await signatureOver(CHANGE, await findHub({ home: elsewhere }), { home: elsewhere })).signature);
  assert.deepEqual(await signatureOver(CHANGE, { url, token }, { home: elsewhere, url }), {});
  assert.equal((await served.hub.devices.list()).filter(({ publicKey }) => publicKey !== null).length, 1);
});
