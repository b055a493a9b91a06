import type { Reach } from "@countersign/vocabulary";
import "reflect-metadata";
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { systemClock } from "@countersign/core/base";
import { addressesOf, NotifyError, prepareHome, readTarget } from "@countersign/core/config";
import type { Dialer } from "@countersign/core/network";
import { openOwnCa } from "../../listen/own-ca.ts";
import { post } from "./post.ts";

async function serving(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
}

function send(url: string, reach: Reach = "this-machine", timeoutMs = 5_000): Promise<string> {
  return post({ url, reach, headers: {}, body: "{}", timeoutMs }).then(
    () => "taken",
    (cause) => (cause instanceof NotifyError ? cause.code : String(cause)),
  );
}

/** Names lead where a test says. */
function namesLeadTo(...found: string[]): Dialer {
  return {
    resolve: async () => found,
    ownAddresses: () => ["203.0.113.9"],
    routeTo: async () => "elsewhere",
    connect: () => assert.fail("nothing is dialled"),
  };
}

test("readTarget accepts only https, and http for this machine if allowed", () => {
  const table: readonly (readonly [string, Reach, boolean])[] = [
    ["https://push.example/x", "public", true],
    ["http://push.example/x", "public", false],
    ["http://127.0.0.1:1/x", "private", false],
    ["http://127.0.0.1:1/x", "this-machine", true],
    ["https://a:b@push.example/", "public", false],
    ["file:///etc/passwd", "this-machine", false],
    ["javascript:1", "this-machine", false],
    ["nothing", "this-machine", false],
  ];
  for (const [url, reach, taken] of table) {
    const read = () => readTarget(url, reach);
    if (taken) assert.ok(read());
    else assert.throws(read, { code: "URL_REFUSED" }, url);
  }
});

test("post refuses names that resolve to private addresses unless allowed", async () => {
  const verdict = async (address: string, reach: Reach, url = "https://push.example/") =>
    await addressesOf(new URL(url), reach, namesLeadTo(address)).then(
      () => "reached",
      ({ code }: NotifyError) => code,
    );
  const table = [
    ["198.51.100.7", "reached", "reached", "reached"],
    ["127.0.0.1", "ADDRESS_REFUSED", "ADDRESS_REFUSED", "reached"],
    ["203.0.113.9", "ADDRESS_REFUSED", "ADDRESS_REFUSED", "reached"],
    ["10.1.2.3", "ADDRESS_REFUSED", "reached", "reached"],
    ["::ffff:10.1.2.3", "ADDRESS_REFUSED", "reached", "reached"],
    ["fd12::1", "ADDRESS_REFUSED", "reached", "reached"],
    ["169.254.169.254", "ADDRESS_REFUSED", "ADDRESS_REFUSED", "ADDRESS_REFUSED"],
    ["fe80::1", "ADDRESS_REFUSED", "ADDRESS_REFUSED", "ADDRESS_REFUSED"],
  ] as const;
  for (const [address, ...expected] of table) {
    const found = await Promise.all(
      (["public", "private", "this-machine"] as const).map((reach) => verdict(address, reach)),
    );
    assert.deepEqual(found, expected, address);
  }
  assert.equal(
    await verdict("10.1.2.3", "this-machine", "http://lan.example/"),
    "ADDRESS_REFUSED",
    "never without TLS",
  );
  const several = namesLeadTo("10.0.0.1", "198.51.100.7");
  assert.deepEqual(await addressesOf(new URL("https://x.example/"), "public", several), ["198.51.100.7"]);
});

test("post refuses literal private addresses", async () => {
  for (const host of ["127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "localhost", "169.254.169.254"])
    assert.equal(await send(`https://${host}:9/`, "public"), "ADDRESS_REFUSED", host);
});

test("post tells by the status whether a retry may help", async (t) => {
  const answers: Record<number, string> = {};
  for (const status of [200, 201, 301, 307, 400, 401, 404, 410, 413, 429, 500, 503]) {
    const url = await serving(t, (_request, response) => response.writeHead(status).end("x"));
    answers[status] = await send(url);
  }
  assert.deepEqual(answers, {
    200: "taken",
    201: "taken",
    301: "REDIRECTED",
    307: "REDIRECTED",
    400: "REFUSED",
    401: "REFUSED",
    404: "GONE",
    410: "GONE",
    413: "REFUSED",
    429: "BUSY",
    500: "BUSY",
    503: "BUSY",
  });
});

test("post follows no redirect", async (t) => {
  let reached = 0;
  const inside = await serving(t, (_request, response) => {
    reached += 1;
    response.end();
  });
  const outside = await serving(t, (_request, response) => response.writeHead(307, { location: inside }).end());
  assert.equal(await send(outside), "REDIRECTED");
  assert.equal(reached, 0);
});

test("post stops reading an endless answer", async (t) => {
  const endless = await serving(t, (_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response
      .writeHead(200)
      .on("drain", write)
      .on("error", () => undefined);
    write();
  });
  assert.equal(await send(endless), "taken");
  const silent = await serving(t, () => undefined);
  assert.equal(await send(silent, "this-machine", 50), "TIMED_OUT");
  assert.equal(await send("http://127.0.0.1:1/secret-path"), "UNREACHABLE");
});

test("post's errors don't hold the path", async (t) => {
  const url = await serving(t, (_request, response) => response.writeHead(500).end());
  const failure = await post({ url, reach: "this-machine", headers: {}, body: null, timeoutMs: 5_000 }).catch(
    (cause) => cause,
  );
  assert.doesNotMatch(String(failure), /secret-path/);
});

test("post verifies the certificate for the requested name", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "countersign-post-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const ca = await openOwnCa(prepareHome(join(dir, "home")), systemClock);
  const leaf = await ca.issue("127.0.0.1");
  const server = createTlsServer(leaf, (_request, response) => response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  assert.equal(await send(`https://127.0.0.1:${port}/`), "UNREACHABLE", "a CA that nobody trusts");
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, ca.certificate]);
  t.after(() => setDefaultCACertificates(before));
  assert.equal(await send(`https://127.0.0.1:${port}/`), "taken");
  assert.equal(await send(`https://localhost:${port}/`), "UNREACHABLE", "another name");
});
