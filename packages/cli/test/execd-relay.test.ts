import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { execdFrame, RelayPlace } from "./relay-fixture.ts";

interface Signer {
  readonly cert: string;
  readonly key: string;
}

function openssl(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("openssl", args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** Another CA that calls itself by the name of the relay's. */
function namesake(at: RelayPlace): Signer {
  const dir = at.place.workspace;
  const name = openssl(dir, "x509", "-in", join(at.ca, "ca.crt"), "-noout", "-subject", "-nameopt", "compat").trim();
  const subject = `/${name.replace(/^subject= *\/?/, "")}`;
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(dir, "req", "-x509", ...curve, "-subj", subject, "-days", "1", "-keyout", "ca-k", "-out", "ca-c");
  return { cert: join(dir, "ca-c"), key: join(dir, "ca-k") };
}

/** A sandbox that takes its own certificate for a CA's. */
function asSigner(at: RelayPlace, bundle: ConnectionOptions): Signer {
  const [cert, key] = ["leaf-c", "leaf-k"].map((name) => join(at.place.workspace, name)) as [string, string];
  writeFileSync(cert, String(bundle.cert));
  writeFileSync(key, String(bundle.key));
  return { cert, key };
}

/** Signed by the CA, by a program that isn't ours, with another name than `ca issue` would write; or by who else signs. */
function signedFor(at: RelayPlace, extensions: string, signer?: Signer): ConnectionOptions {
  const dir = at.place.workspace;
  writeFileSync(join(dir, "ext"), extensions);
  openssl(
    dir,
    "req",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-subj",
    "/CN=x",
    "-keyout",
    "k",
    "-out",
    "r",
  );
  const { cert, key } = signer ?? { cert: join(at.ca, "ca.crt"), key: join(at.ca, "ca.key") };
  openssl(
    dir,
    "x509",
    "-req",
    "-in",
    "r",
    "-CA",
    cert,
    "-CAkey",
    key,
    "-CAcreateserial",
    "-days",
    "1",
    "-extfile",
    "ext",
    "-out",
    "c",
  );
  const above = signer ? readFileSync(signer.cert, "utf8") : "";
  return { key: readFileSync(join(dir, "k"), "utf8"), cert: readFileSync(join(dir, "c"), "utf8") + above };
}

async function handshake(at: RelayPlace, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port: Number(new URL(at.url).port), host: "localhost", ca: at.caCertificate, ...options });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

test("certificates that are wrong in any way are refused, each with its code; the right one's frame is on record", async (t) => {
  const at = await RelayPlace.make(t);
  await at.place.serve();
  await at.relay();
  const other = await RelayPlace.make(t);
  const good = await at.bundle("box");
  const body = JSON.stringify(execdFrame("box"));
  const codeFor = async (tls: ConnectionOptions) => {
    const answer = await at.post({ ...tls, ca: at.caCertificate }, body);
    return [answer.status, answer.body[0]?.error?.code ?? answer.body[0]?.state];
  };

  assert.deepEqual(await codeFor({}), [401, "NO_CERTIFICATE"]);
  assert.deepEqual(await codeFor(await other.bundle("box")), [401, "UNTRUSTED_CERTIFICATE"]);
  assert.deepEqual(await codeFor(await at.bundle("box", 3_600_000)), [401, "EXPIRED_CERTIFICATE"]);
  assert.deepEqual(await codeFor(await at.bundle("box", -3_600_000)), [401, "EXPIRED_CERTIFICATE"], "not yet");
  const relaysOwn = readFileSync(join(at.ca, "relay.pem"), "utf8");
  assert.deepEqual(await codeFor({ key: relaysOwn, cert: relaysOwn }), [401, "UNTRUSTED_CERTIFICATE"]);
  for (const san of [
    "subjectAltName=DNS:box",
    "subjectAltName=URI:urn:opensandbox:box,URI:urn:opensandbox:other",
    "subjectAltName=URI:urn:opensandbox:../box",
    "subjectAltName=URI:urn:other:box",
    "subjectAltName=URI:urn:opensandbox:box,DNS:box",
    "basicConstraints=CA:FALSE",
  ]) {
    assert.deepEqual(await codeFor(signedFor(at, `${san}\nextendedKeyUsage=clientAuth\n`)), [403, "WRONG_NAME"], san);
  }
  const named = "subjectAltName=URI:urn:opensandbox:box\n";
  assert.deepEqual(await codeFor(signedFor(at, `${named}extendedKeyUsage=serverAuth\n`)), [
    401,
    "UNTRUSTED_CERTIFICATE",
  ]);
  const client = `${named}extendedKeyUsage=clientAuth\n`;
  const untrusted = [401, "UNTRUSTED_CERTIFICATE"];
  assert.deepEqual(await codeFor(signedFor(at, client, namesake(at))), untrusted, "a CA of the same name");
  const leaf = asSigner(at, await at.bundle("other"));
  assert.deepEqual(await codeFor(signedFor(at, client, leaf)), untrusted, "a sandbox signs for another");
  assert.deepEqual(await codeFor(signedFor(at, named)), untrusted, "no purpose at all");
  assert.deepEqual(await codeFor(signedFor(at, `${client}basicConstraints=CA:TRUE\n`)), untrusted, "a CA's own");
  assert.deepEqual(
    await codeFor(await at.bundle("other")),
    [403, "OTHER_SANDBOX"],
    "an id that isn't the certificate's",
  );

  assert.deepEqual(await codeFor(good), [200, "recorded"]);
  const listed = await at.place.run("receipts", "list", "--json", "--sandbox", "box");
  assert.deepEqual(
    JSON.parse(listed.stdout).map(({ type }: { type: string }) => type),
    ["system.command.execute"],
    "nothing of what was refused is on record",
  );
  const metrics = await at.metrics();
  for (const code of ["NO_CERTIFICATE", "UNTRUSTED_CERTIFICATE", "EXPIRED_CERTIFICATE", "WRONG_NAME", "OTHER_SANDBOX"])
    assert.match(metrics, new RegExp(`countersign_relay_total{result="${code}"} [1-9]`), code);
});

test("it speaks TLS 1.3 only, resumes no session, and shows a certificate that a sandbox's can't stand in for", async (t) => {
  const at = await RelayPlace.make(t);
  await at.relay("--recorder", join(at.place.home, "none.sock"));
  const good = await at.bundle("box");
  const { key, cert } = good;
  await assert.rejects(at.post({ key, cert, maxVersion: "TLSv1.2" }, "{}"), /protocol|version|alert/i);
  const plain = connectPlain(Number(new URL(at.url).port), "127.0.0.1");
  plain.end("POST /ingest HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(plain, "close");

  const first = await handshake(at, good);
  assert.equal(first.getProtocol(), "TLSv1.3");
  const sessions: Buffer[] = [];
  first.on("session", (session: Buffer) => sessions.push(session));
  first.write("POST /ingest HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
  await once(first, "data");
  first.destroy();
  // Node can't be kept from offering them: none is taken.
  assert.ok(sessions.length > 0, "there is something to resume");
  for (const session of sessions) {
    const second = await handshake(at, { ...good, session });
    assert.equal(second.isSessionReused(), false);
    second.destroy();
  }
  await assert.rejects(at.post({ key, cert, servername: "relay.example" }, "{}"), /altnames|Hostname/i);
});

test("what is revoked is refused within the running relay, and its open connections are closed", async (t) => {
  const at = await RelayPlace.make(t);
  await at.place.serve();
  await at.relay();
  const [box, other] = [await at.bundle("box"), await at.bundle("other")];
  const [open, others] = [await handshake(at, box), await handshake(at, other)];
  const closed = once(open, "close");
  open.resume();
  assert.equal((await at.post(box, JSON.stringify(execdFrame("box")))).status, 200);
  assert.equal((await at.place.run("execd", "ca", "revoke", "box")).code, 0);
  await closed;
  const refused = await at.post(box, JSON.stringify(execdFrame("box")));
  assert.deepEqual([refused.status, refused.body[0]?.error?.code], [403, "REVOKED_CERTIFICATE"]);
  assert.equal(others.destroyed, false);
  others.destroy();
  assert.equal((await at.post(other, JSON.stringify(execdFrame("other")))).status, 200);

  // A list that isn't the CA's, and one from before, take nothing back.
  const crl = join(at.ca, "crl.pem");
  const newest = readFileSync(crl, "utf8");
  writeFileSync(crl, newest.replace(/[A-Za-z]{4}/, "AAAA"));
  await at.place.until(async () => (await at.health()).revocationsProblem !== undefined);
  assert.equal((await at.health()).status, "failing");
  assert.equal((await at.post(box, JSON.stringify(execdFrame("box")))).status, 403);
  writeFileSync(crl, newest);
  await at.place.until(async () => (await at.health()).status === "ok");
});

test("frames are read as strictly as the recorder reads them, each line for itself", async (t) => {
  const at = await RelayPlace.make(t);
  await at.place.serve();
  await at.relay();
  const box = await at.bundle("box");
  const good = JSON.stringify(execdFrame("box"));
  const bad: readonly (readonly [string, string])[] = [
    ["DUPLICATE_KEY", good.replace("{", '{"v":"1",')],
    ["BAD_JSON", `${good} {}`],
    ["LONE_SURROGATE", JSON.stringify(execdFrame("box", { input: { command: "\ud800" } }))],
    ["NUMBER_RANGE", good.replace('"exit_code":0', '"exit_code":1e999')],
    [
      "TOO_DEEP",
      JSON.stringify(execdFrame("box", { input: { a: 0 } })).replace(
        '"a":0',
        `"a":${"[".repeat(9_000)}${"]".repeat(9_000)}`,
      ),
    ],
    ["UNKNOWN_VERSION", JSON.stringify(execdFrame("box", { v: "2" }))],
    ["OTHER_SANDBOX", JSON.stringify(execdFrame("box", { session_id: "b" }))],
    ["OTHER_SANDBOX", JSON.stringify(execdFrame("b", { session_id: "box" }))],
    ["INVALID_FRAME", JSON.stringify(execdFrame("box", { channel: "mcp" }))],
    ["INVALID_FRAME", JSON.stringify(execdFrame("box", { action_type: "network.egress.observed" }))],
    ["INVALID_FRAME", JSON.stringify(execdFrame("box", { action_type: "agent_receipts.events_dropped" }))],
    ["INVALID_FRAME", JSON.stringify(execdFrame("box", { drop_count: -1 }))],
    ["INVALID_FRAME", JSON.stringify(execdFrame("box", { idempotency_key: "a@b" }))],
    ["INVALID_FRAME", JSON.stringify(execdFrame("box", { operator_id: "boss" }))],
    ["INVALID_FRAME", "[]"],
    ["BAD_JSON", ""],
  ];
  const lines = [good, ...bad.map(([, line]) => line), JSON.stringify(execdFrame("box"))];
  const answer = await at.post(box, `${lines.join("\n")}\n`, { "content-type": "application/x-ndjson" });
  assert.equal(answer.status, 207);
  assert.deepEqual(
    answer.body.map(({ error, state }) => error?.code ?? state),
    ["recorded", ...bad.map(([code]) => code), "recorded"],
  );
  const utf8 = await at.post(box, Buffer.from(good.replace("true", "\u00ff"), "latin1"));
  assert.deepEqual([utf8.status, utf8.body[0]?.error?.code], [422, "INVALID_UTF8"]);
  assert.deepEqual(await at.receiptsOf("box"), { live: 2, dropped: 0 });

  // The same key again is the same receipt; of another sandbox it is another's.
  await at.post(box, good);
  const key = JSON.parse(good).idempotency_key;
  await at.post(await at.bundle("b"), JSON.stringify(execdFrame("b", { idempotency_key: key })));
  assert.deepEqual(
    [await at.receiptsOf("box"), await at.receiptsOf("b")],
    [
      { live: 2, dropped: 0 },
      { live: 1, dropped: 0 },
    ],
  );
});

test("requests that are too much, of another kind or cut in the middle are refused, and others' go on", async (t) => {
  const at = await RelayPlace.make(t);
  await at.place.serve();
  await at.relay();
  const box = await at.bundle("box");
  const codeOf = async (body: string, headers: Record<string, string>) => {
    const answer = await at.post(box, body, headers);
    return [answer.status, answer.body[0]?.error?.code];
  };
  assert.deepEqual(await codeOf("{}", { "content-type": "text/plain" }), [415, "WRONG_TYPE"]);
  assert.deepEqual(await codeOf("{}", { "content-encoding": "gzip" }), [415, "WRONG_TYPE"]);
  assert.deepEqual(await codeOf("", {}), [422, "EMPTY_BODY"]);
  assert.deepEqual(await codeOf("\n".repeat(300), { "content-type": "application/x-ndjson" }), [413, "TOO_MANY_LINES"]);
  const long = JSON.stringify(execdFrame("box", { input: { command: "x".repeat(1024 * 1024) } }));
  assert.deepEqual(await codeOf(long, {}), [413, "FRAME_TOO_LONG"]);

  // 5 GiB are announced, nothing comes; a body that is chunked and has no end; half of one.
  const announced = await handshake(at, box);
  announced.write(
    "POST /ingest HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 5368709120\r\n\r\n",
  );
  assert.match(String((await once(announced, "data"))[0]), /^HTTP\/1\.1 413 /);
  announced.destroy();
  const endless = await handshake(at, box);
  endless.write(
    "POST /ingest HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
  );
  const answered = once(endless, "data");
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
  for (let n = 0; n < 70; n += 1) endless.write(chunk);
  assert.match(String((await answered)[0]), /^HTTP\/1\.1 413 /);
  endless.destroy();
  const half = await handshake(at, box);
  half.write("POST /ingest HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{");
  half.destroy();
  const smuggled = await handshake(at, box);
  smuggled.write(
    "POST /ingest HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  );
  assert.match(String((await once(smuggled, "data"))[0]), /^HTTP\/1\.1 400 /);
  smuggled.destroy();

  // 32 MiB at once, and then 4 a second, whatever is in them.
  const large = "x".repeat(4_000_000);
  let refused = await at.post(box, large);
  for (let n = 0; n < 100 && refused.status === 413; n += 1) refused = await at.post(box, large);
  assert.deepEqual([refused.status, refused.body[0]?.error?.code], [429, "TOO_MANY_BYTES"]);
  assert.match(refused.retryAfter ?? "", /^[1-9]\d*$/);
  assert.equal((await at.post(await at.bundle("other"), JSON.stringify(execdFrame("other")))).status, 200);
});
