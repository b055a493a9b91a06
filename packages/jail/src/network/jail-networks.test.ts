import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { silentLog, systemClock } from "@countersign/core/base";
import { FakeClock } from "../../../hub/test/support/fake-clock.ts";
import { JailNetworks, type JailNetworksOptions } from "./jail-networks.ts";
import { DEFAULT_NETWORK_LIMITS } from "./network-limits.ts";

const BWRAP = "/usr/bin/bwrap";
const CHILD = fileURLToPath(new URL("../../test/support/network-child.ts", import.meta.url));
const ANY = { hosts: "any", privateToo: false } as const;
type Start = readonly [string, ...string[]];
const asNobody: Start = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", process.execPath];
const isRoot = process.getuid?.() === 0;

/** Why a program of ours can't make a private network here when it is started like this, or undefined. */
function whyNot(start: Start): string | undefined {
  const probe = `require("node:fs").readFileSync(${JSON.stringify(CHILD)});
    const { status, error, stderr } = require("node:child_process").spawnSync("${BWRAP}",
      [...(process.getuid() === 0 ? [] : ["--unshare-user"]), "--unshare-net", "--ro-bind", "/", "/", "true"]);
    if (status !== 0) throw error ?? new Error(stderr);`;
  const [file, ...args] = start;
  const run = spawnSync(file, [...args, "-e", probe], { encoding: "utf8" });
  if (run.status === 0) return undefined;
  return run.error?.message ?? /^.*Error: .*$/m.exec(run.stderr)?.[0] ?? run.stderr.trim();
}

const whyNotHere = whyNot([process.execPath]);

async function tryFromInside(start: Start): Promise<unknown> {
  const [file, ...args] = start;
  const output = await new Promise<string>((resolve, reject) => {
    execFile(file, [...args, CHILD], { timeout: 120_000 }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr, { cause: error })) : resolve(stdout),
    );
  });
  return JSON.parse(output.replaceAll(/tcp\/127\.0\.0\.1\/\d{5}/g, "tcp/127.0.0.1/PORT"));
}

const HELD = {
  said: {
    allowed: "this is a.example",
    other: "Refused by the jail: b.example isn't among the hosts that this command may reach.",
    hostLoopback: "connect: Connection refused\n/dev/tcp/127.0.0.1/PORT: Connection refused",
    hostLoopbackThroughProxy: "Refused by the jail: 127.0.0.1 isn't among the hosts that this command may reach.",
    world: "connect: Network is unreachable\n/dev/tcp/192.0.2.1/80: Network is unreachable",
    abstract: "ECONNREFUSED",
    interfaces: "lo",
    rights: "0000000000000000",
    namespacesHeld: "",
    refused: [
      "the jail refused a connection to b.example:80: b.example isn't among the hosts that this command may reach",
      "the jail refused a connection to 127.0.0.1:PORT: 127.0.0.1 isn't among the hosts that this command may reach",
    ],
    traffic: true,
  },
  outliving: "ready\nconnect: Connection refused\n/dev/tcp/127.0.0.1/3128: Connection refused",
  sizes: { namespaces: 20, own: 20, others: 20 },
  late: "CLOSED",
  clean: true,
};

test("rooms of whoever runs the tests hold", { skip: whyNotHere ?? false }, async () => {
  assert.deepEqual(await tryFromInside([process.execPath]), HELD);
});

const whyNotNobody = isRoot ? whyNot(asNobody) : "the tests don't run as root, so the test before is this one";
test("rooms of an ordinary user hold", { skip: whyNotNobody ?? false }, async () => {
  assert.deepEqual(await tryFromInside(asNobody), HELD);
});

function openNetworks(t: TestContext, facts: Partial<JailNetworksOptions> = {}): JailNetworks {
  const networks = new JailNetworks({ bwrap: BWRAP, clock: systemClock, log: silentLog, ...facts });
  t.after(() => networks.close());
  return networks;
}

test("no more rooms than allowed at once; a closed one makes place", { skip: whyNotHere ?? false }, async (t) => {
  const networks = openNetworks(t, { limits: { ...DEFAULT_NETWORK_LIMITS, rooms: 1 } });
  const limit = { code: "TOO_MANY_ROOMS", message: "1 networks for jails are in use (limit: rooms)" };
  const opening = networks.open(ANY);
  await assert.rejects(networks.open(ANY), limit);
  const network = await opening;
  await assert.rejects(networks.open(ANY), limit);
  await network.close();
  await (await networks.open(ANY)).close();
});

test("closing while a room is being made leaves none", { skip: whyNotHere ?? false }, async (t) => {
  const networks = openNetworks(t);
  const opening = networks.open(ANY);
  const refused = assert.rejects(opening, { code: "CLOSED" });
  await networks.close();
  await refused;
});

test("where no room can be made the message says why", async (t) => {
  const missing = openNetworks(t, { bwrap: "/nonexistent/bwrap" });
  await assert.rejects(missing.open(ANY), {
    code: "NETWORK_UNAVAILABLE",
    message: "A private network can't be made here: spawn /nonexistent/bwrap ENOENT",
  });
  const failing = openNetworks(t, { bwrap: "/bin/false" });
  await assert.rejects(failing.open(ANY), { message: "A private network can't be made here: its holder ended with 1" });
});

test("a holder that never answers is ended", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "countersign-holder-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const bwrap = join(dir, "bwrap");
  writeFileSync(bwrap, '#!/bin/sh\necho $$ > "$0.pid"\nexec sleep 1000\n', { mode: 0o700 });
  const clock = new FakeClock();
  const opening = openNetworks(t, { bwrap, clock }).open(ANY);
  const refused = assert.rejects(opening, {
    message: "A private network can't be made here: it took too long (limit: holderMs)",
  });
  const pid = await until(() => existsSync(`${bwrap}.pid`) && Number(readFileSync(`${bwrap}.pid`, "utf8")));
  clock.advance(DEFAULT_NETWORK_LIMITS.holderMs);
  await refused;
  await until(() => !existsSync(`/proc/${pid}`));
});

/** Waits for something that another process is about to do. */
async function until<T>(look: () => T | false): Promise<T> {
  for (let tries = 0; tries < 12_000; tries += 1) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return assert.fail("it never happened");
}
