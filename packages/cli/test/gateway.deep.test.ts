import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayClient } from "@countersign/sdk";
import { Place } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

deepTest("a hub behind a gateway is answered from elsewhere, with commands alone", async (t) => {
  const place = new Place(t);
  const gateway = place.start(["gateway", "--json", "--port", "0"]);
  const { url } = JSON.parse(await gateway.firstLine()) as { url: string };
  const hub = place.start(["serve", "--json", "--port", "0", "--gateway", url]);
  const served = JSON.parse(await hub.firstLine()) as { hubKey: string };
  assert.match(served.hubKey, /^[A-Za-z0-9_-]{43}$/);
  const { stdout } = await place.start(["token", "create", "--role", "approver", "--name", "phone", "--json"]).ended;
  const { token } = JSON.parse(stdout) as { token: string };
  const client = new GatewayClient({ url, token, deviceType: "client", relay: true });
  const asked = new Promise<{ approvalId: string; command: string }>((resolve) => {
    client.onMessage(({ action, payload }) => {
      if (action === "exec-approval-request") resolve(payload as { approvalId: string; command: string });
    });
  });
  // The hub registers with the gateway in its own time; a device that comes first is told to come again.
  while (
    !(await client.connect().then(
      () => true,
      () => false,
    ))
  );
  const waits = place.start(["exec", "--", "touch", "made"]);
  const { approvalId, command } = await asked;
  assert.equal(command, "touch made");
  assert.ok(client.hubDeviceId);
  const result = await client.request(client.hubDeviceId, "resolveExecApproval", {
    approvalId,
    decision: "allow-once",
  });
  assert.equal(result.ok, true);
  assert.equal((await waits.ended).code, 0);
  client.disconnect();
  assert.equal((await hub.stop()).code, 0);
  assert.equal((await gateway.stop()).code, 0);
});

test("a gateway on another address needs a certificate, and says so", async (t) => {
  const place = new Place(t);
  const refused = await place.start(["gateway", "--host", "0.0.0.0", "--port", "0"]).ended;
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /certificate.*PORT_REFUSED/s);
});
