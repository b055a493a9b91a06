import assert from "node:assert/strict";
import { createECDH } from "node:crypto";
import { type TestContext, test } from "node:test";
import { type Identity, systemClock } from "@countersign/core/base";
import { openTempStore } from "../../../../store/test/temp-store.ts";
import { Subscriptions } from "./subscriptions.ts";

const BOB: Identity = { id: "bob", role: "approver", name: "bob", sameUser: false, unattended: false };

async function open(t: TestContext) {
  const { store, cleanup } = await openTempStore();
  t.after(cleanup);
  const device = { id: "phone", tokenId: "bob", name: "phone", publicKey: null, createdAtMs: 0 };
  await store.commit([{ op: "claim-device", device }]);
  const live = new Set(["bob"]);
  const options = { store, clock: systemClock, isLive: ({ id }: { id: string }) => live.has(id) };
  return { live, options, subscriptions: await Subscriptions.load(options) };
}

function wanted() {
  const keys = { p256dh: createECDH("prime256v1").generateKeys("base64url"), auth: "AAAAAAAAAAAAAAAAAAAAAA" };
  const subscription = { endpoint: "https://push.example/x", keys };
  return { deviceId: "phone", subscription, place: "phone", showDangerous: false } as const;
}

test("put refuses a token that is being revoked", async (t) => {
  const { live, options, subscriptions } = await open(t);
  const put = subscriptions.put(wanted(), BOB);
  live.delete("bob");
  const dropped = subscriptions.dropOwnedBy("bob");
  await assert.rejects(put, { code: "UNAUTHORIZED" });
  await dropped;
  live.add("bob");
  assert.deepEqual([subscriptions.all, (await Subscriptions.load(options)).all], [[], []]);
});

test("all omits a revoked token's device even if its removal wasn't stored", async (t) => {
  const { live, options, subscriptions } = await open(t);
  await subscriptions.put(wanted(), BOB);
  assert.equal(subscriptions.all.length, 1);
  live.delete("bob");
  assert.deepEqual([subscriptions.all, subscriptions.of("phone")], [[], undefined]);
  assert.deepEqual((await Subscriptions.load(options)).all, []);
});
