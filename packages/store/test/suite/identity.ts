import assert from "node:assert/strict";
import type { DeviceRecord, TokenRecord } from "../../src/contract/records.ts";
import type { Scenario } from "./opened.ts";
import { keep, refused, session } from "./samples.ts";

function token(set: Partial<TokenRecord> = {}): TokenRecord {
  const id = set.id ?? "t1";
  return {
    id,
    hash: `hash-of-${id}`,
    role: "approver",
    name: "ann",
    unattended: false,
    createdAtMs: 1_000,
    revokedAtMs: null,
    madeBy: null,
    ...set,
  };
}

function device(set: Partial<DeviceRecord> = {}): DeviceRecord {
  return { id: "d1", tokenId: "t1", name: "phone", publicKey: null, createdAtMs: 1_000, ...set };
}

export function identityScenarios(scenario: Scenario): void {
  scenario("tokens are kept, and revoked once for ever", async (store) => {
    await keep(
      store,
      { op: "insert-token", token: token() },
      { op: "insert-token", token: token({ id: "t2", createdAtMs: 2_000, unattended: true, madeBy: "t1" }) },
    );
    await keep(store, { op: "revoke-token", id: "t1", atMs: 5_000 });
    await keep(
      store,
      { op: "revoke-token", id: "t1", atMs: 9_000 },
      { op: "revoke-token", id: "unknown", atMs: 9_000 },
    );
    assert.deepEqual(await store.tokens(), [
      token({ revokedAtMs: 5_000 }),
      token({ id: "t2", createdAtMs: 2_000, unattended: true, madeBy: "t1" }),
    ]);
  });

  scenario("two tokens can't have one hash", async (store) => {
    await keep(store, { op: "insert-token", token: token() });
    await assert.rejects(store.commit([{ op: "insert-token", token: token({ id: "t2", hash: "hash-of-t1" }) }]));
  });

  scenario("a device belongs to the token that first used it", async (store) => {
    await keep(store, { op: "claim-device", device: device() });
    await keep(store, { op: "claim-device", device: device({ name: "renamed", createdAtMs: 2_000 }) });
    assert.deepEqual(await store.device("d1"), device());
    const commit = await store.commit([{ op: "claim-device", device: device({ tokenId: "t2" }) }]);
    assert.deepEqual(commit, refused("DEVICE_FOREIGN"));
    assert.deepEqual(await store.devices(), [device()]);
  });

  scenario("a device's key is set once, by its own token", async (store) => {
    await keep(store, { op: "claim-device", device: device() });
    const stolen = await store.commit([{ op: "claim-device", device: device({ tokenId: "t2", publicKey: "evil" }) }]);
    assert.deepEqual(stolen, refused("DEVICE_FOREIGN"));
    await keep(store, { op: "claim-device", device: device({ publicKey: "key" }) });
    assert.equal((await store.device("d1"))?.publicKey, "key");
    const other = await store.commit([{ op: "claim-device", device: device({ publicKey: "other" }) }]);
    assert.deepEqual(other, refused("DEVICE_FOREIGN"));
    await keep(store, { op: "claim-device", device: device() });
    assert.equal((await store.device("d1"))?.publicKey, "key");
  });

  scenario("one device signs for a token, the first that says so", async (store) => {
    await keep(store, { op: "claim-device", device: device({ publicKey: "key" }) });
    const second = await store.commit([{ op: "claim-device", device: device({ id: "d2", publicKey: "other" }) }]);
    assert.deepEqual(second, refused("DEVICE_FOREIGN"));
    await keep(store, { op: "claim-device", device: device({ id: "d2" }) });
    await keep(store, { op: "claim-device", device: device({ id: "d3", tokenId: "t2", publicKey: "other" }) });
  });

  scenario("a nonce is good for one use, and a refused commit doesn't use it", async (store) => {
    const use = { op: "use-nonce", nonce: "n", atMs: 1_000 } as const;
    await keep(store, { op: "claim-device", device: device() });
    const refusedTogether = await store.commit([use, { op: "claim-device", device: device({ tokenId: "t2" }) }]);
    assert.equal(refusedTogether.ok, false);
    await keep(store, use);
    assert.deepEqual(await store.commit([use]), refused("NONCE_USED"));
  });

  scenario("sessions are listed newest first, of one owner or of all", async (store) => {
    const sessions = [
      session(),
      session({ id: "s2", ownerId: "bob", createdAtMs: 2_000 }),
      session({ id: "s3", createdAtMs: 3_000 }),
    ];
    await keep(store, ...sessions.map((one) => ({ op: "claim-session", session: one }) as const));
    assert.deepEqual(
      (await store.sessions({ limit: 2 })).map(({ id }) => id),
      ["s3", "s2"],
    );
    assert.deepEqual(
      (await store.sessions({ ownerId: "ann", limit: 10 })).map(({ id }) => id),
      ["s3", "s1"],
    );
  });
}
