import "reflect-metadata";
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect } from "node:tls";
import { systemClock } from "@countersign/core/base";
import { prepareHome } from "@countersign/core/config";
import {
  X509Certificate as PeculiarCertificate,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { isPrivateAddress } from "./name-constraints.ts";
import { type Leaf, openOwnCa } from "./own-ca.ts";

function openHome(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "countersign-ca-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return prepareHome(join(dir, "home"));
}

/** Serves with this certificate at 127.0.0.2, and tells what a client that trusts our CA makes of it. */
async function handshake(t: TestContext, leaf: Leaf, { ca, name }: { ca: string; name?: string }) {
  const server = createServer(leaf).listen(0, "127.0.0.2");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: "127.0.0.2", port, ca, ...(name === undefined ? {} : { servername: name }) });
  t.after(() => socket.destroy());
  const failed = once(socket, "error").then(([cause]) => String(cause.message));
  return await Promise.race([once(socket, "secureConnect").then(() => socket.getProtocol()), failed]);
}

test("a client that trusts our CA accepts its certificate at its address only", async (t) => {
  const ca = await openOwnCa(openHome(t), systemClock);
  assert.equal(await handshake(t, await ca.issue("127.0.0.2"), { ca: ca.certificate }), "TLSv1.3");
  assert.equal(
    await handshake(t, await ca.issue("127.0.0.3"), { ca: ca.certificate }),
    "Hostname/IP does not match certificate's altnames: IP: 127.0.0.2 is not in the cert's list: 127.0.0.3",
  );
});

test("clients reject certificates of our CA for public names", async (t) => {
  const home = openHome(t);
  const ca = await openOwnCa(home, systemClock);
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const pem = readFileSync(join(home.keys, "ca.key"), "utf8");
  const stolen = await crypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), algorithm, false, ["sign"]);
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  assert.ok("privateKey" in keys);
  const cert = await X509CertificateGenerator.create({
    subject: "CN=bank.example",
    issuer: new PeculiarCertificate(ca.certificate).subject,
    serialNumber: "01",
    publicKey: keys.publicKey,
    signingKey: stolen,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: "bank.example" }])],
  });
  const key = PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  const leaf = { cert: cert.toString("pem"), key };
  assert.equal(await handshake(t, leaf, { ca: ca.certificate, name: "bank.example" }), "permitted subtree violation");
});

test("openOwnCa keeps its key with mode 600 and issues for private addresses only", async (t) => {
  const home = openHome(t);
  const first = await openOwnCa(home, systemClock);
  const again = await openOwnCa(home, systemClock);
  assert.equal(first.fingerprint, again.fingerprint);
  assert.equal(statSync(join(home.keys, "ca.key")).mode & 0o777, 0o600);
  const cert = new X509Certificate(readFileSync(join(home.keys, "ca.crt")));
  assert.equal(cert.fingerprint256, first.fingerprint);
  assert.ok(cert.ca);
  await assert.rejects(first.issue("8.8.8.8"), { code: "PORT_REFUSED" });
});

test("isPrivateAddress recognises private addresses", () => {
  const ours = [
    "10.1.2.3",
    "192.168.1.5",
    "172.16.0.1",
    "172.31.255.255",
    "100.100.1.1",
    "127.0.0.2",
    "fe80::1",
    "fd00::5",
  ];
  const others = ["8.8.8.8", "172.32.0.1", "192.169.1.1", "100.128.0.1", "2001:db8::1", "::1", "hub.example"];
  assert.deepEqual(
    ours.filter((address) => !isPrivateAddress(address)),
    [],
  );
  assert.deepEqual(others.filter(isPrivateAddress), []);
});
