import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { Place } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

/** Only the first process says that it is old; the one that it starts gets no such option. */
const OLD = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } })';
const AS_OLD_NODE = ["--import", `data:text/javascript,${encodeURIComponent(OLD)}`];

test("serve prints at most 11 lines when it first starts, then at most 3, and never the token", async (t) => {
  const place = new Place(t);
  const first = place.start(["serve", "--port", "0"]);
  assert.match(await first.firstLine(), /^Countersign 0\.1\.0 listens on http:\/\/127\.0\.0\.1:\d+$/);
  const { code, stdout, stderr } = await first.stop();
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.ok(stdout.trimEnd().split("\n").length <= 11, stdout);
  for (const word of [place.home, join(place.home, "keys", "token"), "exec --", "pending", "demo"])
    assert.ok(stdout.includes(word));
  assert.ok(!stdout.includes(readFileSync(join(place.home, "keys", "token"), "utf8").trim()));

  const second = place.start(["serve", "--port", "0"]);
  await second.firstLine();
  const again = await second.stop("SIGINT");
  assert.equal(again.code, 0);
  assert.ok(again.stdout.trimEnd().split("\n").length <= 3, again.stdout);
  assert.ok(!existsSync(join(place.home, "run", "address")));
});

test("--json is one line for machines", async (t) => {
  const place = new Place(t);
  const hub = place.start(["serve", "--json", "--port", "0"]);
  const { url, hubKey, ...rest } = JSON.parse(await hub.firstLine());
  assert.match(hubKey, /^[\w-]{43}$/);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual(rest, { home: place.home, pid: hub.child.pid });
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal((await hub.stop()).stdout.trimEnd().split("\n").length, 1);
});

deepTest("what keeps it from starting is one sentence with its code", async (t) => {
  const place = new Place(t);
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const inUse = await place.run("serve", "--port", String(port));
  assert.equal(inUse.code, 1);
  assert.match(inUse.stderr, /^countersign: Port \d+ is in use\. .* \(PORT_IN_USE\)\n$/);

  const file = join(place.workspace, "file");
  writeFileSync(file, "");
  const unwritable = await place.run("serve", "--port", "0", "--home", join(file, "home"));
  assert.equal(unwritable.code, 1);
  assert.match(unwritable.stderr, /^countersign: The home .* COUNTERSIGN_HOME .* \(HOME_UNWRITABLE\)\n$/);

  const open = await place.run("serve", "--port", "0", "--host", "0.0.0.0");
  assert.equal(open.code, 1);
  assert.match(open.stderr, /\(PORT_REFUSED\)\n$/);

  await place.serve();
  const twice = await place.run("serve", "--port", "0", "--json");
  assert.equal(twice.code, 1);
  assert.equal(JSON.parse(twice.stdout).error.code, "ALREADY_RUNNING");
});

test("ends while something waits, and tells its proposer", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  const waits = place.start(["exec", "--", "rm", "-rf", "build"]);
  await place.waiting(1);
  const [served, released] = await Promise.all([hub.stop(), waits.ended]);
  assert.equal(served.code, 0);
  assert.equal(released.code, 125);
  assert.match(released.stderr, /shutting down.*stays open/);
});

test("under an old Node the pinned one takes over, and passes signals and codes on", async (t) => {
  const place = new Place(t);
  const hub = place.start(["serve", "--json", "--port", "0"], {}, AS_OLD_NODE);
  assert.notEqual(JSON.parse(await hub.firstLine()).pid, hub.child.pid);
  assert.equal((await place.start(["exec", "exit 3"], {}, AS_OLD_NODE).ended).code, 3);
  assert.equal((await hub.stop()).code, 0);
});
