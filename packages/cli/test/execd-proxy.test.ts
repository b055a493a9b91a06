import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { closeSync, globSync, mkdirSync, openSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openCa } from "@countersign/sandbox";
import { Place, type Running } from "./countersign.ts";
import { RelayPlace } from "./relay-fixture.ts";

interface Sandbox {
  readonly at: RelayPlace;
  readonly url: string;
  readonly proxy: Running;
  readonly bundle: string;
  readonly home: string;
  /** Starts the proxy again where one was killed, with what that left on disk. */
  readonly again: () => Promise<{ readonly url: string; readonly proxy: Running }>;
}

/** A hub, a relay, a local execd and a proxy before it, each a process of its own. */
async function sandbox(t: TestContext): Promise<Sandbox> {
  const at = await RelayPlace.make(t);
  await at.place.serve();
  await at.relay();
  const execd = at.place.start(["execd", "serve", "--json", "--listen", "127.0.0.1:0"]);
  const { url: execdUrl } = JSON.parse(await execd.firstLine()) as { url: string };
  const bundle = join(at.place.workspace, "box.pem");
  await (await openCa(at.ca)).issueForSandbox("box", { out: bundle, validMs: 600_000, renew: false }, Date.now());
  const home = join(at.place.workspace, "inside");
  mkdirSync(home);
  const args = ["--listen", "127.0.0.1:0", "--execd", execdUrl, "--relay", at.url, "--bundle", bundle, "--home", home];
  const inside = { OPENSANDBOX_ID: "box", OPENSANDBOX_VERSION: "1.2.3", COUNTERSIGN_HOME: "" };
  const again = async () => {
    const proxy = at.place.start(["execd", "proxy", "--json", ...args], inside);
    const { url } = JSON.parse(await proxy.firstLine()) as { url: string };
    return { url, proxy };
  };
  return { at, ...(await again()), bundle, home, again };
}

const post = (url: string, body: object) => fetch(url, { method: "POST", body: JSON.stringify(body) });

test("what an agent does in a sandbox is on record outside of it, by a proxy that holds no key that signs", async (t) => {
  const running = await sandbox(t);
  const { at, url, proxy } = running;
  const answer = await (await post(`${url}/command`, { command: "exit 3" })).text();
  assert.match(answer, /"evalue":"3"/);
  await post(`${url}/directories`, { [join(at.place.workspace, "made")]: { mode: 755 } });
  assertKeyless(running);
  // Still running when the proxy is ended: told as that, and delivered.
  await (await post(`${url}/command`, { command: "sleep 60", background: true })).text();
  const { code, stderr } = await proxy.stop("SIGTERM");
  assert.deepEqual([code, stderr], [0, ""]);
  const listed = await at.place.run("receipts", "list", "--json", "--sandbox", "box");
  const types = JSON.parse(listed.stdout).map(({ type }: { type: string }) => type);
  assert.deepEqual(types.sort(), ["filesystem.directory.create", "system.command.execute", "system.command.execute"]);
  const verified = await at.place.run("receipts", "verify");
  assert.equal(verified.code, 0, verified.stderr + verified.stdout);
  for (const { channel, attestation, binding, coverage } of await runtimesOf(at, "box")) {
    assert.deepEqual([channel, attestation], ["opensandbox_execd", "sandbox-asserted"]);
    assert.deepEqual([binding.sandbox_id, binding.placement], ["box", "execd"]);
    assert.match(
      `${binding.endpoint} ${binding.route}`,
      /^(\/command POST \/command|\/directories POST \/directories)$/,
    );
    const { limits, ...rest } = coverage;
    const covers = ["command", "code", "files", "directories", "pty"];
    assert.deepEqual(rest, { covers, excludes: [], placement: "execd", opensandbox_version: "1.2.3" });
    assert.match(limits.join("\n"), /goes round the proxy/);
  }
});

test("a command whose end the agent has read is on record, whenever the proxy is killed after that", async (t) => {
  const { at, url, proxy, again } = await sandbox(t);
  const answer = await post(`${url}/command`, { command: "echo first" });
  let read = "";
  for await (const bytes of answer.body as ReadableStream<Uint8Array>) {
    read += Buffer.from(bytes);
    if (read.includes("execution_complete")) break;
  }
  // execd holds the stream for up to a second after that.
  await proxy.stop("SIGKILL");
  const second = await again();
  await (await post(`${second.url}/command`, { command: "echo second" })).text();
  assert.equal((await second.proxy.stop("SIGTERM")).code, 0);
  const listed = JSON.parse((await at.place.run("receipts", "list", "--json", "--sandbox", "box")).stdout);
  assert.deepEqual(
    listed.map(({ type, status }: { type: string; status: string }) => [type, status]),
    [
      ["system.command.execute", "success"],
      ["system.command.execute", "success"],
    ],
  );
});

interface Told {
  readonly channel: string;
  readonly attestation: string;
  readonly binding: Readonly<Record<"sandbox_id" | "placement" | "endpoint" | "route", string>>;
  readonly coverage: { readonly limits: readonly string[] };
}

/** What is said beside each of a sandbox's receipts. */
async function runtimesOf({ place }: RelayPlace, sandbox: string): Promise<readonly Told[]> {
  const file = join(place.workspace, "evidence.jsonl");
  const { code, stderr } = await place.run("receipts", "export", "--jsonl", file);
  assert.equal(code, 0, stderr);
  const receipts = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const own = receipts.filter(({ credentialSubject }) =>
    credentialSubject.chain.chain_id.endsWith(`:sandbox:${sandbox}`),
  );
  assert.equal(own.length, 3);
  return own.map(({ issuer }) => issuer.runtime);
}

test("by default the proxy listens on 44771, and the relay on 44780", async (t) => {
  const place = new Place(t);
  assert.match((await place.run("execd", "proxy", "--help")).stdout, /--listen[^-]*:44771\b/);
  assert.match((await place.run("execd", "relay", "--help")).stdout, /--listen[^-]*:44780\b/);
});

/** Not in its environment, its files, its descriptors, its memory. */
function assertKeyless({ at, proxy, bundle, home }: Sandbox): void {
  const signing = globSync(join(at.place.home, "keys/*.pem")).map((file) => readFileSync(file, "utf8"));
  const authority = readFileSync(join(at.ca, "ca.key"), "utf8");
  const secrets = [...signing, authority].filter((pem) => pem.includes("PRIVATE KEY")).flatMap(formsOf);
  assert.ok(secrets.length >= 4, "there are keys to look for");
  const proc = `/proc/${proxy.child.pid}`;
  const places = new Map<string, Buffer>(["environ", "cmdline"].map((name) => [name, readFileSync(`${proc}/${name}`)]));
  places.set("bundle", readFileSync(bundle));
  for (const file of globSync(join(home, "**/*"))) if (statSync(file).isFile()) places.set(file, readFileSync(file));
  for (const fd of globSync(`${proc}/fd/*`)) {
    const target = readlinkSync(fd);
    assert.ok(!target.startsWith(join(at.place.home, "keys")) && !target.startsWith(at.ca), `${target} is open`);
    if (target.startsWith("/") && statSync(fd).isFile()) places.set(target, readFileSync(fd));
  }
  for (const [name, bytes] of memoryOf(proc)) places.set(name, bytes);
  for (const [place, bytes] of places) {
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `a key is in ${place}`);
  }
  // The one private key that it has is for the connection to the relay, and no receipt's.
  const [own] = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/.exec(readFileSync(bundle, "utf8")) ?? [];
  assert.equal(createPrivateKey(own ?? "").asymmetricKeyType, "ec");
  assert.ok(
    [...places].some(([place, bytes]) => place.startsWith("memory") && bytes.includes(own?.split("\n")[1] ?? "?")),
    "memory was looked at",
  );
}

/** A key as PEM's text, and as the bytes in it: all of it, and the secret at its end. */
function formsOf(pem: string): Buffer[] {
  const der = createPrivateKey(pem).export({ format: "der", type: "pkcs8" });
  const jwk = createPrivateKey(pem).export({ format: "jwk" });
  return [Buffer.from(pem.split("\n")[1] ?? pem), der, Buffer.from(jwk.d ?? "", "base64url")];
}

function memoryOf(proc: string): [string, Buffer][] {
  const memory = openSync(`${proc}/mem`, "r");
  const found: [string, Buffer][] = [];
  for (const line of readFileSync(`${proc}/maps`, "utf8").split("\n")) {
    const [, from, to, path = ""] = /^([0-9a-f]+)-([0-9a-f]+) rw.. \S+ \S+ \S+ *(.*)$/.exec(line) ?? [];
    if (from === undefined || to === undefined || path.startsWith("/") || path === "[vvar]") continue;
    const length = Number(BigInt(`0x${to}`) - BigInt(`0x${from}`));
    if (length > 256 * 1024 * 1024) continue;
    const bytes = Buffer.alloc(length);
    try {
      found.push([
        `memory at ${from}`,
        bytes.subarray(0, readSync(memory, bytes, { position: BigInt(`0x${from}`) as unknown as number })),
      ]);
    } catch {
      // Reserved, and nothing there.
    }
  }
  closeSync(memory);
  return found;
}

test("what is missing or wrong is said with what to do", async (t) => {
  const place = new Place(t);
  const run = async (...args: readonly string[]) => {
    const { code, stderr } = await place.run("execd", "proxy", ...args);
    return [code, stderr];
  };
  const needed = ["--relay", "https://127.0.0.1:1", "--bundle", "none.pem"];
  assert.deepEqual((await run(...needed))[0], 2);
  assert.match(String((await run(...needed))[1]), /--sandbox-id|OPENSANDBOX_ID/);
  assert.match(String((await run(...needed, "--sandbox-id", "box"))[1]), /none\.pem isn't a bundle/);
  assert.match(
    String((await run("--relay", "http://x", "--bundle", "x", "--sandbox-id", "box"))[1]),
    /--relay is an address like https:/,
  );
  assert.match(String((await run("--bundle", "x"))[1]), /--relay/);
});
