import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CliError } from "../base/cli-error.ts";
import { deviceFiles, openDevice } from "./device-key.ts";

test("a key is made once, for this user alone, and a device for each token", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "cs-key-"));
  t.after(() => rmSync(home, { recursive: true }));
  assert.equal(await openDevice(home, { token: "one", make: false }), undefined);
  const first = await openDevice(home, { token: "one", make: true });
  const { key, devices } = deviceFiles(home);
  assert.deepEqual(
    [key, devices].map((path) => statSync(path).mode & 0o777),
    [0o600, 0o600],
  );
  assert.match(readFileSync(key, "utf8"), /^-----BEGIN PRIVATE KEY-----\n/);
  assert.doesNotMatch(readFileSync(devices, "utf8"), /"one"/);
  const again = await openDevice(home, { token: "one", make: false });
  assert.deepEqual([again?.deviceId, again?.key.keyId], [first?.deviceId, first?.key.keyId]);
  const other = await openDevice(home, { token: "two", make: true });
  assert.equal(other?.key.keyId, first?.key.keyId);
  assert.notEqual(other?.deviceId, first?.deviceId);
  assert.deepEqual(readdirSync(join(home, "keys")).sort(), ["device.json", "device.key"]);

  const failsWith = (text: RegExp) => (error: unknown) => error instanceof CliError && text.test(error.message);
  chmodSync(key, 0o644);
  await assert.rejects(openDevice(home, { token: "one", make: true }), failsWith(/chmod 600/));
  chmodSync(key, 0o600);
  writeFileSync(devices, "[]");
  await assert.rejects(openDevice(home, { token: "one", make: true }), failsWith(/device\.json isn't a file of/));
  writeFileSync(key, "no key");
  await assert.rejects(openDevice(home, { token: "one", make: true }), failsWith(/isn't an Ed25519 key/));
});
