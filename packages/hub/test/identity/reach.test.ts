import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { silentLog } from "@countersign/core/base";
import type { Addresses } from "@countersign/protocol/access";
import WebSocket from "ws";
import type { ReachOptions } from "../../src/listen/reach.ts";
import { serve } from "../../src/serve.ts";

/** Stands for an address of a network: it is no name of this machine's. */
const LAN = "127.0.0.2";

async function open(t: TestContext, options: ReachOptions, page?: object) {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-reach-"));
  let close: () => Promise<void> = () => Promise.resolve();
  // In this order: a hub that ends writes into its home.
  t.after(async () => {
    await close();
    rmSync(scratch, { recursive: true, force: true });
  });
  mkdirSync(join(scratch, "home"), { mode: 0o700 });
  if (page) writeFileSync(join(scratch, "home", "config.json"), JSON.stringify({ page }));
  const served = await serve({ homeDir: join(scratch, "home"), cwd: scratch, port: 0, log: silentLog, ...options });
  close = () => served.close();
  return served;
}

/** Whatever Host says, the certificate is compared with where it was dialled. */
const BY_ADDRESS = {
  servername: "",
  checkServerIdentity: (_: string, cert: PeerCertificate) => checkServerIdentity(LAN, cert),
};

interface Asked {
  readonly headers?: Record<string, string>;
  readonly ca?: string;
  readonly method?: string;
}

function ask(url: string, { headers = {}, ca, method = "GET" }: Asked = {}): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const request = (url.startsWith("https:") ? requestHttps : requestHttp)(url, {
    method,
    headers,
    ca,
    agent: false,
    ...BY_ADDRESS,
  });
  request.on("error", reject).on("response", async (response) => {
    resolve({ status: response.statusCode ?? 0, text: (await response.toArray()).join("") });
  });
  request.end();
  return promise;
}

async function dial(url: string, options: WebSocket.ClientOptions): Promise<number> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), options);
  return await new Promise((resolve) => {
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
    socket.on("error", () => undefined);
  });
}

test("a network's address comes with TLS, beside this machine's; our CA is there to be fetched", async (t) => {
  const { addresses, url, home } = await open(t, { host: LAN, tls: true });
  const { port } = new URL(url);
  const lan = `https://${LAN}:${port}`;
  assert.equal(url, `http://127.0.0.1:${port}`);
  assert.deepEqual(addresses.addresses, [
    { origin: url, from: "machine" },
    { origin: lan, from: "network" },
  ]);
  const ca = readFileSync(join(home.keys, "ca.crt"), "utf8");
  assert.deepEqual(await ask(`${lan}/healthz`, { ca }), { status: 200, text: '{"ok":true}' });
  assert.equal((await ask(`${lan}/ca.crt`, { ca })).text.trim(), ca.trim());
  await assert.rejects(ask(`${lan}/healthz`), /certificate/, "nobody else vouches for it");
  assert.equal(await dial(`${lan}/ws`, { ca, origin: lan }), 101);
});

test("Host and Origin are known exactly, each with its scheme", async (t) => {
  const proxied = "https://hub.example";
  const { url, home } = await open(t, { host: LAN, tls: true }, { origins: [proxied] });
  const ca = readFileSync(join(home.keys, "ca.crt"), "utf8");
  const { port } = new URL(url);
  const lan = `https://${LAN}:${port}`;
  const token = readFileSync(home.token, "utf8").trim();
  const cases: [where: string, host: string, origin: string | undefined, taken: boolean][] = [
    [url, `127.0.0.1:${port}`, `http://127.0.0.1:${port}`, true],
    [url, `localhost:${port}`, `http://localhost:${port}`, true],
    [url, "hub.example", proxied, true],
    [url, "hub.example", undefined, true],
    [lan, `${LAN}:${port}`, lan, true],
    [url, "hub.example", "http://hub.example", false],
    [url, "hub.example:443", proxied, false],
    [url, "hub.example", `${proxied}.evil.example`, false],
    [url, `127.0.0.1:${port}`, proxied, false],
    [url, `127.0.0.1:${port}`, `https://127.0.0.1:${port}`, false],
    [url, `127.0.0.1:${port}`, `http://127.0.0.1:${Number(port) + 1}`, false],
    [url, `127.0.0.1:${port}`, `http://localhost:${port}`, false],
    [url, `127.0.0.1:${port}`, "null", false],
    [url, `rebound.example:${port}`, undefined, false],
    [url, `0.0.0.0:${port}`, undefined, false],
    [lan, `${LAN}:${port}`, `http://${LAN}:${port}`, false],
    [lan, `rebound.example:${port}`, undefined, false],
  ];
  for (const [where, host, origin, taken] of cases) {
    const headers = { host, authorization: `Bearer ${token}`, ...(origin === undefined ? {} : { origin }) };
    const { status } = await ask(`${where}/api/v1/state`, { ca, headers });
    assert.equal(status, taken ? 200 : 401, `${host} ${origin}`);
    assert.equal(await dial(`${where}/ws`, { ca, headers }), taken ? 101 : 403, `socket: ${host} ${origin}`);
  }
});

test("in clear on a network only for who insists; every address at once never with TLS", async (t) => {
  const refused: ReachOptions[] = [
    { host: LAN },
    { host: "0.0.0.0" },
    { host: "0.0.0.0", tls: true },
    { host: "::", tls: true },
  ];
  for (const options of refused) {
    const scratch = mkdtempSync(join(tmpdir(), "countersign-reach-"));
    t.after(() => rmSync(scratch, { recursive: true, force: true }));
    const homeDir = join(scratch, "home");
    await assert.rejects(serve({ homeDir, cwd: scratch, port: 0, log: silentLog, ...options }), {
      code: "PORT_REFUSED",
    });
    assert.ok(!existsSync(homeDir), "before anything is touched");
  }
  const insisted = await open(t, { host: LAN, insecureLan: true });
  const { port } = new URL(insisted.url);
  assert.equal((await ask(`http://${LAN}:${port}/healthz`)).status, 200);
  assert.equal((await ask(`http://${LAN}:${port}/ca.crt`)).status, 404);
  const everywhere = await open(t, { host: "0.0.0.0", insecureLan: true });
  assert.equal(new URL(everywhere.url).hostname, "127.0.0.1");
  assert.equal((await ask(`${everywhere.url}/healthz`)).status, 200);
});

test("an address of yesterday's network in config.json keeps no hub from starting", async (t) => {
  const here = await open(t, {}, { lan: LAN });
  assert.equal(here.addresses.addresses.length, 2);

  const gone = await open(t, {}, { lan: "10.255.255.254" });
  assert.deepEqual(gone.addresses satisfies Addresses, {
    ...gone.addresses,
    addresses: [{ origin: gone.url, from: "machine" }],
  });
  await assert.rejects(open(t, { host: "10.255.255.254", tls: true }), { code: "PORT_REFUSED" });
});

test("only an https origin can be a proxy's", async (t) => {
  for (const origin of ["http://hub.example", "https://hub.example/", "https://hub.example/path", "hub.example"]) {
    await assert.rejects(open(t, {}, { origins: [origin] }), { code: "CONFIG_INVALID" });
  }
});
