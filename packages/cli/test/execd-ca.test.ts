import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { initCa, openCa } from "@countersign/sandbox";
import { Place } from "./countersign.ts";

test("execd ca list tells of each certificate what it is for, whether it is good, and until when", async (t) => {
  const place = new Place(t);
  const dir = join(place.workspace, "ca");
  const nowMs = Date.now();
  const [minute, day] = [60_000, 86_400_000];
  await initCa(dir, undefined, nowMs);
  const ca = await openCa(dir);
  const wish = (name: string, validMs: number) => ({ out: join(dir, `${name}.pem`), validMs, renew: false });
  await ca.issueForRelay(["relay.internal"], wish("relay", day), nowMs);
  await ca.issueForSandbox("box-good", wish("good", day), nowMs);
  await ca.issueForSandbox("box-old", wish("old", minute), nowMs - 5 * minute);
  await ca.issueForSandbox("box-gone", wish("gone", day), nowMs);
  await ca.revoke("box-gone", nowMs);
  const [told, listed, none] = await Promise.all([
    place.run("execd", "ca", "list", "--ca", dir, "--json"),
    place.run("execd", "ca", "list", "--ca", dir),
    place.run("execd", "ca", "list", "--ca", join(dir, "nowhere")),
  ]);
  const rows = JSON.parse(told.stdout) as Record<string, string | null>[];
  const byName = (one: Record<string, string | null>, other: Record<string, string | null>) =>
    `${one.name}`.localeCompare(`${other.name}`);
  assert.deepEqual(
    rows.toSorted(byName).map(({ kind, name, state, revokedAt }) => [kind, name, state, revokedAt !== null]),
    [
      ["sandbox", "box-gone", "revoked", true],
      ["sandbox", "box-good", "good", false],
      ["sandbox", "box-old", "expired", false],
      ["relay", "relay.internal", "good", false],
    ],
  );
  assert.doesNotMatch(told.stdout + listed.stdout, /PRIVATE KEY/);
  const lines = listed.stdout.trim().split("\n");
  assert.match(lines[0] ?? "", /^KIND +NAME +STATE +UNTIL +SERIAL$/);
  assert.equal(lines.length, 5);
  for (const { name, state, notAfter, serial } of rows)
    assert.ok(
      lines.some((line) => [name, state, notAfter, serial].every((word) => line.includes(`${word}`))),
      `${name}`,
    );
  assert.equal(none.code, 1);
  assert.match(none.stderr, /CA/);
});

test("execd ca revoke says what it does: a sandbox's connections are closed, a relay's certificate is trusted on", async (t) => {
  const place = new Place(t);
  const dir = join(place.workspace, "ca");
  const nowMs = Date.now();
  await initCa(dir, undefined, nowMs);
  const ca = await openCa(dir);
  const wish = (name: string) => ({ out: join(dir, `${name}.pem`), validMs: 86_400_000, renew: false });
  await ca.issueForRelay(["relay.internal"], wish("relay"), nowMs);
  await ca.issueForSandbox("box", wish("box"), nowMs);
  const relay = await place.run("execd", "ca", "revoke", "relay.internal", "--ca", dir);
  const box = await place.run("execd", "ca", "revoke", "box", "--ca", dir);
  assert.match(relay.stdout, /^Revoked: relay\.internal.*\nProxies read no list .*make another CA\.\n$/);
  assert.match(box.stdout, /^Revoked: box.*\nA relay that runs closes its connections within a second\.\n$/);
});
