import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { initCa, openCa } from "./authority.ts";
import { readBundle } from "./bundle.ts";
import { CaError } from "./ca-error.ts";
import { readRevocations } from "./read-revocations.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const HOUR = 3_600_000;

async function newCa(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "cs-ca-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const dir = join(root, "ca");
  const { crl } = await initCa(dir, undefined, NOW);
  const ca = await openCa(dir);
  const issue = (id: string, out = join(root, `${id}.pem`), renew = false) =>
    ca.issueForSandbox(id, { out, validMs: HOUR, renew }, NOW);
  const revoked = () => readRevocations(readFileSync(crl, "utf8"), readFileSync(join(dir, "ca.crt"), "utf8"));
  return { root, dir, crl, ca, issue, revoked };
}

const refused = (code: string) => (cause: unknown) => cause instanceof CaError && cause.code === code;

test("a sandbox's bundle has one name, is good for showing to the relay only, and for its user alone", async (t) => {
  const { root, issue, dir } = await newCa(t);
  const { file, serial, notAfterMs } = await issue("sbx-1");
  const bundle = readBundle(file);
  assert.deepEqual(
    { sandboxId: bundle.sandboxId, serial: bundle.serial, notAfterMs: bundle.notAfterMs },
    { sandboxId: "sbx-1", serial, notAfterMs },
  );
  const cert = new X509Certificate(bundle.cert);
  assert.equal(cert.subjectAltName, "URI:urn:opensandbox:sbx-1");
  assert.deepEqual(cert.keyUsage, ["1.3.6.1.5.5.7.3.2"], "clientAuth");
  assert.equal(cert.ca, false);
  for (const path of [file, join(dir, "ca.key")]) assert.equal(statSync(path).mode & 0o777, 0o600, path);
  assert.equal(statSync(dir).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(root).sort(), ["ca", "sbx-1.pem"], "nothing is left beside them");
});

test("nothing is written over: not a CA, not a bundle, not a second certificate for a sandbox that has a good one", async (t) => {
  const { root, dir, issue } = await newCa(t);
  await assert.rejects(initCa(dir, undefined, NOW), refused("CA_EXISTS"));
  const { file } = await issue("sbx-1");
  const before = readFileSync(file, "utf8");
  await assert.rejects(issue("sbx-1", join(root, "other.pem")), refused("ALREADY_ISSUED"));
  await assert.rejects(issue("sbx-2", file), refused("FILE_EXISTS"));
  assert.equal(readFileSync(file, "utf8"), before);
  const renewed = await issue("sbx-1", file, true);
  assert.equal(readBundle(file).serial, renewed.serial);
  assert.notEqual(readFileSync(file, "utf8"), before);
});

test("ids, hosts and spans that aren't any are refused", async (t) => {
  const { root, ca, issue } = await newCa(t);
  const ids = ["", "-a", "a b", "a/b", "a,URI:urn:opensandbox:b", "../a", "ä", "a\n", "a".repeat(129)];
  for (const id of ids) await assert.rejects(issue(id, join(root, "x")), refused("INVALID_ID"), JSON.stringify(id));
  const wish = { out: join(root, "x"), validMs: HOUR, renew: false };
  for (const hosts of [[], ["a b"], ["*.example.com"], ["a,b"], new Array(17).fill("a")])
    await assert.rejects(ca.issueForRelay(hosts, wish, NOW), refused("INVALID_HOST"), hosts.join());
  for (const validMs of [0, 40 * 24 * HOUR])
    await assert.rejects(ca.issueForSandbox("a", { ...wish, validMs }, NOW), refused("INVALID_SPAN"));
  assert.deepEqual(ca.list(), []);
});

test("what is revoked is on the list that the CA signs, at once and also when many are revoked at once", async (t) => {
  const { dir, ca, issue, revoked } = await newCa(t);
  assert.deepEqual([...revoked().serials], []);
  const ids = ["a", "b", "c", "d"];
  const serials: string[] = [];
  for (const id of ids) serials.push((await issue(id)).serial);
  const another = await openCa(dir);
  const both = [ca, another];
  await Promise.all(ids.slice(0, 3).map((id, n) => both[n % 2]?.revoke(id, NOW + 1_000)));
  assert.deepEqual([...revoked().serials].sort(), serials.slice(0, 3).sort());
  await ca.revoke(serials[3] ?? "", NOW + 2_000);
  assert.deepEqual([...revoked().serials].sort(), [...serials].sort());
  await assert.rejects(ca.revoke("a", NOW + 3_000), refused("NOT_FOUND"));
  // Ended certificates are refused for that: the list doesn't grow for ever.
  await issue("e");
  await ca.revoke("e", NOW + 1_000);
  await ca.issueForSandbox("f", { out: join(dir, "f.pem"), validMs: HOUR, renew: false }, NOW + 48 * HOUR);
  await ca.revoke("f", NOW + 48 * HOUR);
  assert.equal(revoked().serials.size, 1);
});

test("a list that another CA signed, that was changed, or that is cut is refused", async (t) => {
  const { crl, dir, ca, issue } = await newCa(t);
  const other = await newCa(t);
  const { serial } = await issue("a");
  await ca.revoke("a", NOW);
  const list = readFileSync(crl, "utf8");
  const cert = readFileSync(join(dir, "ca.crt"), "utf8");
  assert.deepEqual([...readRevocations(list, cert).serials], [serial]);
  const changed = (edit: (der: Buffer) => Buffer) => {
    const der = Buffer.from(list.replaceAll(/-----[^-]+-----/g, ""), "base64");
    return `-----BEGIN X509 CRL-----\n${edit(der).toString("base64")}\n-----END X509 CRL-----\n`;
  };
  assert.deepEqual(
    [
      ...readRevocations(
        changed((der) => der),
        cert,
      ).serials,
    ],
    [serial],
  );
  const at = Buffer.from(list.replaceAll(/-----[^-]+-----/g, ""), "base64").indexOf(Buffer.from(serial, "hex"));
  const bad = [
    readFileSync(other.crl, "utf8"),
    changed((der) => Buffer.concat([der.subarray(0, at), Buffer.of(1), der.subarray(at + 1)])),
    changed((der) => der.subarray(0, -1)),
    changed((der) => Buffer.concat([der, Buffer.of(0)])),
    "",
    `${list}${list}`,
  ];
  for (const text of bad) assert.throws(() => readRevocations(text, cert), refused("CA_INVALID"), text);
});

test("a bundle whose parts don't belong together isn't taken", async (t) => {
  const one = await newCa(t);
  const other = await newCa(t);
  const mine = readBundle((await one.issue("a")).file);
  const theirs = readBundle((await other.issue("a")).file);
  const path = join(one.root, "mixed.pem");
  for (const parts of [
    [theirs.key, mine.cert, mine.ca],
    [mine.key, mine.cert, theirs.ca],
    [mine.cert, mine.key, mine.ca],
    [mine.key, mine.cert],
    ["hello"],
  ]) {
    writeFileSync(path, parts.join("\n"));
    assert.throws(() => readBundle(path), refused("BUNDLE_INVALID"));
  }
});

test("a lock that a killed command left behind holds nobody up", async (t) => {
  const { dir, issue } = await newCa(t);
  writeFileSync(join(dir, "lock"), "999999999");
  await issue("a");
});
