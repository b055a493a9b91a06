import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BIN, type Ended, Place, Running } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

const IS_ROOT = process.getuid?.() === 0;

function withStdin(running: Running, text: string): Promise<Ended> {
  running.child.stdin?.end(text);
  return running.ended;
}

async function paired(t: TestContext) {
  const place = new Place(t);
  const home = `${place.home}-recorder`;
  const { stdout } = await place.run("recorder", "pair", "--home", home);
  const joined = await withStdin(place.start(["recorder", "join"]), stdout);
  assert.equal(joined.code, 0, joined.stderr);
  assert.match(joined.stdout, /has its record kept by the recorder/);
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return { place, home, line: stdout };
}

test("a recorder starts, refuses a second one, and ends with a checkpoint", async (t) => {
  const { place, home } = await paired(t);
  const recorder = place.start(["recorder", "--home", home]);
  assert.match(await recorder.firstLine(), /keeps the record in/);
  const second = await place.run("recorder", "--home", home);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /one writer.*ALREADY_RUNNING/s);
  const asHub = await place.run("serve", "--home", home, "--port", "0");
  assert.match(asHub.stderr, /ALREADY_RUNNING/);
  const asRecorder = await place.run("recorder");
  assert.match(asRecorder.stderr, /a hub's home.*CONFIG_INVALID/s);

  const hub = await place.serve();
  assert.equal((await place.run("exec", "--", "echo", "hi")).stdout, "hi\n");
  assert.equal((await recorder.stop()).code, 0);
  const denied = await place.run("exec", "--", "echo", "hi");
  assert.equal(denied.code, 125);
  assert.match(denied.stderr, /RECORDER_DOWN.*countersign recorder/s);
  assert.match((await place.run()).stdout, /Warning: Everything new is denied.*RECORDER_DOWN/);
  assert.equal((await hub.stop()).code, 0);
  const last = JSON.parse((await place.run("receipts", "list", "--home", home, "--json", "--limit", "1")).stdout);
  assert.equal(last.at(-1).type, "checkpoint");
  for (const at of [home, place.home]) assert.equal((await place.run("receipts", "verify", "--home", at)).code, 0);

  const later = await place.start(["serve", "--port", "0"]);
  await place.until(async () => later.printed.includes("Everything new is denied for now"));
  await later.stop();
});

deepTest("pairing is one line from the one to the other, and what isn't that line is refused", async (t) => {
  const { place, home, line } = await paired(t);
  const { socket, secret, ledger } = JSON.parse(line);
  assert.deepEqual(JSON.parse(readFileSync(join(place.home, "config.json"), "utf8")), {
    receipts: { recorder: socket },
  });
  assert.deepEqual(JSON.parse(readFileSync(join(place.home, "keys/recorder.json"), "utf8")), { secret, ledger });
  assert.ok(!existsSync(join(place.home, "keys/receipts.pem")));
  for (const text of ["", "{}", "garbage", line.replace(secret, "short")]) {
    const refused = await withStdin(place.start(["recorder", "join"]), text);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /isn't the line/);
  }
  const elsewhere = await place.run("recorder", "pair", "--home", home, "--hub-user", "54321");
  assert.match(elsewhere.stderr, /--hub-socket/);
  assert.match((await place.run("recorder", "pair", "--hub-user", "no body")).stderr, /a name or a number/);
  assert.match((await place.run("recorder", "pair", "--hub-user", "nobody-knows")).stderr, /no user nobody-knows/);
  const frames = join(place.workspace, "frames.sock");
  const unpaired = place.start(["recorder", "--home", `${home}-2`, "--socket", frames]);
  await place.until(async () => unpaired.printed.includes("none is paired"));
  assert.ok(existsSync(frames) && !existsSync(`${home}-2/run/recorder.sock`), "where it was told to listen");
  assert.equal((await unpaired.stop()).code, 0);
  rmSync(`${home}-2`, { recursive: true });
});

const RECORDER = 54_321;
const HUB = 54_322;

/** Two users that can't read each other's homes, and a directory in which the one's socket is. */
class TwoUsers {
  readonly #root: string;
  readonly #started: Running[] = [];
  readonly sockets: string;

  constructor(t: TestContext) {
    this.#root = mkdtempSync(join(tmpdir(), "cs-two-"));
    chmodSync(this.#root, 0o711);
    this.sockets = join(this.#root, "run");
    for (const [path, uid] of [
      [this.sockets, RECORDER],
      [this.home(RECORDER), RECORDER],
      [this.home(HUB), HUB],
    ] as const) {
      mkdirSync(path, { mode: path === this.sockets ? 0o755 : 0o700 });
      chownSync(path, uid, uid);
    }
    t.after(async () => {
      await Promise.all(this.#started.map((running) => running.stop("SIGKILL")));
      rmSync(this.#root, { recursive: true, force: true });
    });
  }

  home(uid: number): string {
    return join(this.#root, `${uid}`);
  }

  start(uid: number, ...args: readonly string[]): Running {
    const become = ["--reuid", `${uid}`, "--regid", `${uid}`, "--clear-groups", "--"];
    const HOME = this.home(uid);
    const env = { PATH: process.env.PATH ?? "", HOME, COUNTERSIGN_HOME: join(HOME, "countersign") };
    const running = new Running(spawn("setpriv", [...become, process.execPath, BIN, ...args], { cwd: HOME, env }));
    this.#started.push(running);
    return running;
  }

  run(uid: number, ...args: readonly string[]): Promise<Ended> {
    return this.start(uid, ...args).ended;
  }
}

function whyNot(): string | false {
  if (!IS_ROOT) return "only root can run a hub and a recorder as two users";
  const reach = spawnSync("setpriv", ["--reuid", `${HUB}`, "--clear-groups", "--regid", `${HUB}`, "test", "-r", BIN]);
  return reach.status === 0 ? false : "an ordinary user can't read the sources here";
}

test("as two users: a whole run, and the hub's process can read neither the key nor the record's original", {
  skip: whyNot(),
}, async (t) => {
  const users = new TwoUsers(t);
  const socket = join(users.sockets, "hub.sock");
  const invited = await users.run(RECORDER, "recorder", "pair", "--hub-user", `${HUB}`, "--hub-socket", socket);
  assert.equal(invited.code, 0, invited.stderr);
  assert.equal((await withStdin(users.start(HUB, "recorder", "join"), invited.stdout)).code, 0);
  const recorder = users.start(RECORDER, "recorder", "--json");
  await recorder.firstLine();
  const hub = users.start(HUB, "serve", "--json", "--port", "0");
  const { pid } = JSON.parse(await hub.firstLine()) as { pid: number };

  const runs = users.start(HUB, "exec", "--", "touch", "made");
  let waiting: { approvalId: string }[] = [];
  while (waiting.length === 0) waiting = JSON.parse((await users.run(HUB, "pending", "--json")).stdout);
  assert.equal((await users.run(HUB, "approve", waiting[0]?.approvalId ?? "")).code, 0);
  assert.equal((await runs.ended).code, 0);
  assert.ok(existsSync(join(users.home(HUB), "made")));

  // What the hub is, by the kernel's word: that user, without any privilege that would get round it.
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  assert.match(status, new RegExp(`^Uid:\\t${HUB}\\t${HUB}\\t${HUB}\\t${HUB}$`, "m"));
  assert.match(status, /^CapEff:\t0+$/m);
  const theirs = join(users.home(RECORDER), "countersign");
  const as = ["--reuid", `${HUB}`, "--regid", `${HUB}`, "--clear-groups", "--", "cat"];
  for (const name of [
    "keys/receipts.pem",
    "keys/receipts-next.pem",
    "keys/hub.json",
    "countersign.db",
    "witness.jsonl",
  ]) {
    if (name !== "witness.jsonl") assert.ok(existsSync(join(theirs, name)), name);
    const read = spawnSync("setpriv", [...as, join(theirs, name)], { encoding: "utf8" });
    assert.match(read.stderr, /Permission denied/, name);
  }
  const own = join(users.home(HUB), "countersign");
  assert.deepEqual(
    ["receipts.pem", "receipts-next.pem"].map((name) => existsSync(join(own, "keys", name))),
    [false, false],
  );

  assert.equal((await users.run(HUB, "receipts", "verify")).code, 0);
  const ran = readFileSync(join(own, "audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .find(({ type }) => type === "tool_exec");
  const found = await users.run(HUB, "receipts", "show", ran.details.receipt);
  assert.equal(found.code, 0, found.stderr);
  assert.equal((await recorder.stop()).code, 0);
  assert.equal((await users.run(RECORDER, "receipts", "verify")).code, 0);
  assert.equal((await users.run(HUB, "exec", "--", "true")).code, 125);
  assert.equal((await hub.stop()).code, 0);
});
