import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { checkLedger, readReceipts } from "@countersign/store";
import { type Served, type ServeOptions, serve } from "../../src/serve.ts";
import { childScript } from "../programs/child-script.ts";
import { eventually, type Scratch, scratch, send, sleeper, startServing, TOKEN } from "../support/serve-fixture.ts";

const ASKS = { ask: "always", timeoutMs: 600_000 };

function start(place: Scratch, more: Partial<ServeOptions> = {}): Promise<Served> {
  return serve({ homeDir: place.homeDir, cwd: place.workspace, log: silentLog, port: 0, token: TOKEN, ...more });
}

/** Refuses to start with this code, says what matters, and lets go of everything: the same home can be served then. */
async function refuses(place: Scratch, code: string, message: RegExp, more: Partial<ServeOptions> = {}): Promise<void> {
  await assert.rejects(start(place, more), { name: "StartError", code, message });
  assert.ok(!existsSync(join(place.homeDir, "run/hub.sock")), "the socket was left");
  assert.ok(!existsSync(join(place.homeDir, "run/address")), "the address was left");
}

async function works(place: Scratch): Promise<void> {
  const served = await start(place);
  assert.equal((await send(new URL("/healthz", served.url), {})).status, 200);
  await served.close();
}

test("files are for their owner alone, and close leaves only what must stay", async (t) => {
  const s = await startServing(t);
  const { home } = s.served;
  assert.equal(s.served.firstStart, true);
  assert.deepEqual(JSON.parse(readFileSync(home.address, "utf8")), { url: s.served.url, pid: process.pid });
  await s.propose("true");
  // Directories that stand ready to be put into a workspace are as open as they must be there; they lie in one that isn't.
  const ours = readdirSync(home.dir, { recursive: true, withFileTypes: true }).filter(
    ({ parentPath }) => !parentPath.endsWith("/placeholders"),
  );
  const modes = ours.map((entry) => {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
    return [entry.name, mode, entry.isDirectory() ? 0o700 : 0o600] as const;
  });
  for (const [name, mode, expected] of modes) assert.equal(mode, expected, name);
  await s.served.close();
  await s.served.close();
  assert.deepEqual(readdirSync(home.run), ["hub.lock"]);
  const again = await start(s);
  assert.equal(again.firstStart, false);
  await again.close();
});

test("the token is kept over restarts, and COUNTERSIGN_TOKEN is honoured instead", async (t) => {
  const place = scratch(t);
  const [first, second] = [await start(place, { token: undefined }), ""];
  const token = readFileSync(first.home.token, "utf8").trim();
  const status = async (served: Served, bearer: string) =>
    (await send(new URL("/api/v1/state", served.url), { headers: { authorization: `Bearer ${bearer}` } })).status;
  assert.deepEqual([await status(first, token), await status(first, TOKEN)], [200, 401]);
  await first.close();
  const again = await start(place, { token: second });
  assert.deepEqual([await status(again, token), await status(again, TOKEN)], [200, 401]);
  await again.close();
  const given = await start(place);
  assert.deepEqual([await status(given, token), await status(given, TOKEN)], [401, 200]);
  await given.close();
});

test("a port in use, an impossible one, or one that others could reach: refused, and nothing is left", async (t) => {
  const place = scratch(t);
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  await refuses(place, "PORT_IN_USE", new RegExp(`^Port ${port} is in use`), { port });
  for (const impossible of [-1, 65_536, 1.5, Number.NaN])
    await refuses(place, "PORT_REFUSED", /isn't a port/, { port: impossible });
  for (const host of ["0.0.0.0", "::"]) await refuses(place, "PORT_REFUSED", /is every address/, { host });
  for (const host of ["192.168.1.1", "example.com", ""]) {
    await refuses(place, "PORT_REFUSED", /isn't a loopback address/, { host });
  }
  await works(place);
});

test("two hubs never share a home", async (t) => {
  const s = await startServing(t);
  await assert.rejects(start(s), { name: "StartError", code: "ALREADY_RUNNING" });
  assert.equal((await s.propose("true")).body.kind, "exited");
  assert.ok(existsSync(s.served.home.socket));
  await s.served.close();
  await works(s);
});

test("a home in which something is in the way is refused, with what it is", async (t) => {
  for (const name of [
    "audit.jsonl",
    "keys/token",
    "run/hub.sock",
    "run/address",
    "config.json",
    "run/hub.lock",
    "countersign.db",
  ]) {
    const place = scratch(t);
    mkdirSync(join(place.homeDir, name, "occupied"), { recursive: true });
    chmodSync(place.homeDir, 0o700);
    await assert.rejects(
      start(place, { token: undefined }),
      (error: { name: string; code: string; message: string }) => {
        assert.equal(error.name, "StartError", `${name}: ${error}`);
        assert.ok(["HOME_UNWRITABLE", "CONFIG_INVALID", "STORE_UNUSABLE"].includes(error.code), name);
        return true;
      },
    );
    rmSync(join(place.homeDir, name), { recursive: true });
    await works(place);
  }
  const place = scratch(t);
  writeFileSync(place.homeDir, "");
  await assert.rejects(start(place), { code: "HOME_UNWRITABLE", message: /COUNTERSIGN_HOME/ });
  const missing = { ...scratch(t), workspace: "/nonexistent" };
  await assert.rejects(start(missing), { name: "StartError" });
});

test("a home whose path is too long for a socket is refused", async (t) => {
  const place = scratch(t);
  const homeDir = join(place.dir, "h".repeat(100));
  await refuses({ ...place, homeDir }, "HOME_UNWRITABLE", /too long a path for a unix socket/);
});

test("a damaged database is refused and left as it is", async (t) => {
  const place = scratch(t);
  await works(place);
  const path = join(place.homeDir, "countersign.db");
  for (const damage of [Buffer.from("this was never a database".repeat(500)), damaged(readFileSync(path))]) {
    writeFileSync(path, damage);
    await refuses(place, "STORE_UNUSABLE", /countersign\.db/);
    assert.deepEqual(readFileSync(path), damage);
  }
});

function damaged(database: Buffer): Buffer {
  const bytes = Buffer.from(database);
  bytes.fill(0xa5, 4096, bytes.length - 4096);
  return bytes;
}

test("an invalid config or profile is refused with the field, and mended it starts", async (t) => {
  const place = scratch(t, { ask: "sometimes" });
  await refuses(place, "PROFILE_INVALID", /profiles\/default\/config\.json is invalid: .*ask/);
  for (const [text, message] of [
    ["{", /isn't valid JSON/],
    ['{"execApproval":{"timeoutMs":"60000"}}', /timeoutMs/],
    ['{"execApproval":{"timeoutMs":1e999}}', /timeoutMs/],
  ] as const) {
    writeFileSync(join(place.homeDir, "profiles/default/config.json"), text);
    await refuses(place, "PROFILE_INVALID", message);
  }
  rmSync(join(place.homeDir, "profiles/default/config.json"));
  writeFileSync(join(place.homeDir, "config.json"), '{"tools":{"timeout":"soon"}}');
  await refuses(place, "CONFIG_INVALID", /config\.json is invalid: tools\.timeout/);
  rmSync(join(place.homeDir, "config.json"));
  await works(place);
});

test("close ends what runs, leaves what waits open, and tells both before it cuts the connections", async (t) => {
  const s = await startServing(t, { profile: ASKS });
  const { command, pids } = sleeper();
  const running = s.propose(`${command} & touch ${s.workspace}/started; wait`);
  await s.decide((await s.asked()).approvalId, "allow-once");
  await eventually(() => pids().length > 0);
  const waiting = s.propose(`touch ${s.workspace}/marker`);
  await s.asked();
  const idle = connect(s.served.home.socket);
  const socket = connect(s.served.home.socket);
  t.after(() => {
    idle.destroy();
    socket.destroy();
  });
  socket.write(`${JSON.stringify({ method: "proposeExec", params: { command: "echo socket" } })}\n`);
  await eventually(async () => (await s.call("/api/v1/approvals")).body.length === 2);
  const answer = once(socket, "data");
  await s.served.close();
  assert.equal((await running).body.kind, "aborted");
  const { status, body } = await waiting;
  assert.deepEqual([status, body.error?.code ?? body], [500, "INTERNAL"]);
  assert.match(String(await answer), /^\{"ok":false,"error":\{"code":"INTERNAL".*stays open/);
  assert.deepEqual(pids(), []);
  assert.ok(!existsSync(join(s.workspace, "marker")));
  assert.deepEqual(await checkLedger(readReceipts(s.served.home.database)).then((check) => check.whole), true);
});

/** Starts a hub as another user in a process that ends; tells what it said. */
function asUser(
  t: TestContext,
  uid: number,
  place: Scratch,
): { code?: string; message?: string; url?: string } | undefined {
  if (process.getuid?.() !== 0) {
    t.skip("needs root to become another user: run as root");
    return undefined;
  }
  const script = childScript("serve");
  const child = spawnSync(
    "setpriv",
    [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", process.execPath, script, place.homeDir, place.workspace],
    { encoding: "utf8", timeout: 10_000, env: { ...process.env, HOME: place.dir, CLOSE: "1" } },
  );
  if (child.error && "code" in child.error && child.error.code === "ENOENT") {
    t.skip("setpriv is missing: install util-linux");
    return undefined;
  }
  assert.notEqual(child.stdout, "", child.stderr);
  return JSON.parse(child.stdout);
}

test("as another user: a home that isn't theirs is refused, one that is works without a name in the user database", (t) => {
  const place = scratch(t);
  chmodSync(place.dir, 0o755);
  mkdirSync(place.homeDir, { mode: 0o755 });
  const refused = asUser(t, 65_534, place);
  if (!refused) return;
  assert.equal(refused.code, "HOME_UNWRITABLE");
  assert.deepEqual(readdirSync(place.homeDir), []);
  chownSync(place.homeDir, 54_321, 54_321);
  assert.match(asUser(t, 54_321, place)?.url ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
});
