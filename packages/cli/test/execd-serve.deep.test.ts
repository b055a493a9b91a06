import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { BIN, Place, Running } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";
import { until } from "./three-users.ts";

const BWRAP = "/usr/bin/bwrap";
const skip = !existsSync(BWRAP) && "install bubblewrap to run this";

const jailTest: typeof deepTest = (name, body) => (skip ? undefined : deepTest(name, body));

interface Answer {
  readonly id: string;
  readonly out: readonly string[];
  readonly exitCode: string;
}

class Execd {
  readonly url: string;
  readonly running: Running;

  private constructor(url: string, running: Running) {
    this.url = url;
    this.running = running;
  }

  static start(place: Place, ...args: string[]): Promise<Execd> {
    return Execd.startWith({}, place, ...args);
  }

  static async startWith(env: Readonly<Record<string, string>>, place: Place, ...args: string[]): Promise<Execd> {
    const running = place.start(["execd", "serve", "--listen", "127.0.0.1:0", "--json", ...args], env);
    const told = JSON.parse(await running.firstLine()) as { url: string };
    return new Execd(told.url, running);
  }

  async run(command: string, more: object = {}): Promise<Answer> {
    const answer = await fetch(`${this.url}/command`, { method: "POST", body: JSON.stringify({ command, ...more }) });
    const events = (await answer.text())
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { type: string; text?: string; error?: { evalue: string } });
    return {
      id: events.find(({ type }) => type === "init")?.text ?? "",
      out: events.filter(({ type }) => type === "stdout").map(({ text }) => text ?? ""),
      exitCode: events.find(({ type }) => type === "error")?.error?.evalue ?? "0",
    };
  }
}

/** What the lines of a session's runs say, one run after the other. */
async function inSession({ url }: Execd, ...commands: readonly string[]): Promise<string> {
  const post = (path: string, body: object) => fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
  const { session_id: id } = (await (await post("/session", {})).json()) as { session_id: string };
  let said = "";
  for (const command of commands) said += await (await post(`/session/${id}/run`, { command })).text();
  return said;
}

/** Where the jail's /tmp is out here: its execd holds it open. */
function temporaryOf({ running }: Execd): string {
  const open = `/proc/${running.child.pid}/fd`;
  const held = readdirSync(open).flatMap((fd) => linkAt(join(open, fd)));
  const found = held.find((path) => /\/countersign-jail-[^/]+\/tmp$/.test(path));
  assert.ok(found, held.join());
  return found;
}

/** None where it was closed meanwhile. */
function linkAt(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

/** Something that listens on this machine, and what was asked of it. */
async function listenHere(t: TestContext): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("reached");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

test("what execd serve starts is in a jail: nothing of the home, of the machine or of its network is in reach", {
  skip,
}, async (t) => {
  const place = new Place(t);
  const home = dirname(place.home);
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh/id_ed25519"), "secret");
  mkdirSync(place.home);
  writeFileSync(join(place.home, "config.json"), "{}");
  const here = await listenHere(t);
  const temporary = join(home, "tmp");
  mkdirSync(join(temporary, "countersign-jail-killed/tmp"), { recursive: true, mode: 0o700 });
  writeFileSync(join(temporary, "countersign-jail-killed/lock"), "");
  const execd = await Execd.startWith({ TMPDIR: temporary }, place);
  await until(async () => !existsSync(join(temporary, "countersign-jail-killed")));
  const { pid } = execd.running.child;
  const tries = [
    `cat ${home}/.ssh/id_ed25519`,
    `cat ${place.home}/config.json`,

    "echo x > /usr/planted",
    `ln ${home}/.ssh/id_ed25519 hard`,
    "ln /etc/passwd hard",
    `kill -9 ${pid}`,
    `kill -0 ${process.pid}`,
    `exec 3<>/dev/tcp/127.0.0.1/${here.port}`,
    `exec 3<>/dev/tcp/127.0.0.1/${new URL(execd.url).port}`,
    `ls /proc/${pid}/root`,
    "unshare -Ur true",
  ].map((attempt) => `(${attempt}) > /dev/null 2>&1 && echo escaped: ${JSON.stringify(attempt).replaceAll("$", "")}`);
  const { out, exitCode } = await execd.run(
    [...tries, `echo "$HOME"; pwd; echo x > ${home}/planted; echo kept > /tmp/kept; echo mine > mine`, "true"].join(
      "\n",
    ),
    {
      envs: { LD_PRELOAD: "/nowhere.so" },
    },
  );
  assert.deepEqual({ out, exitCode }, { out: [place.workspace, place.workspace], exitCode: "0" });
  assert.equal(readFileSync(join(place.workspace, "mine"), "utf8"), "mine\n");
  assert.ok(!existsSync(join(home, "planted")));
  // One world: what a command leaves is what the routes of files see, /tmp of its own included.
  const kept = await fetch(`${execd.url}/files/download?path=/tmp/kept`);
  assert.equal(await kept.text(), "kept\n");
  await execd.run(`ln -s ${home}/.ssh/id_ed25519 key; ln -s /etc/passwd users`);
  assert.equal((await fetch(`${execd.url}/files/download?path=key`)).status, 403);
  assert.equal((await fetch(`${execd.url}/files/download?path=users`)).status, 403);
  assert.equal((await fetch(`${execd.url}/proxy/${here.port}/`)).status, 502);
  assert.deepEqual(here.asked, []);
  linkSync(join(place.workspace, "mine"), join(place.workspace, "again"));
  // Called root inside, it has no capability, and what it makes is the workspace's owner's.
  const asRoot =
    "cat again; id -u; id -g; grep -c '^Cap...:.0000000000000000$' /proc/self/status; touch made; chown 5 made";
  const called = await execd.run(asRoot, { uid: 0, gid: 7 });
  assert.deepEqual([called.out, called.exitCode], [["mine", "0", "7", "5"], "1"]);
  const owners = ["made", "mine"].map((name) => statSync(join(place.workspace, name)));
  assert.deepEqual([owners[0]?.uid, owners[0]?.gid], [owners[1]?.uid, owners[1]?.gid]);
  assert.equal((await execd.run("true", { uid: 2 ** 31 })).exitCode, "uid and gid are at most 2147483647 here");
  // Not killed: what it keeps beside its workspace goes with it.
  await execd.run("mkdir -p /tmp/q; touch /tmp/q/z; chmod 000 /tmp/q");
  assert.equal((await execd.running.stop()).code, 0);
  assert.deepEqual(readdirSync(temporary), []);
});

jailTest(
  "a timeout, an interrupt and the end of execd serve end all that was started, whatever session it is in",
  async (t) => {
    const place = new Place(t);
    const execd = await Execd.start(place);
    // Each has a lock while it lives, which it takes along to a session of its own.
    const command = (name: string, then: string) =>
      `setsid flock ${name}.lock -c 'touch ${name}.on; exec sleep 1000' > /dev/null 2>&1 < /dev/null &
     until [ -e ${name}.on ]; do sleep 0.02; done; ${then}`;
    const isHeld = async (name: string) => {
      const child = spawn("/usr/bin/flock", ["-n", join(place.workspace, `${name}.lock`), "-c", "true"]);
      return await new Promise<boolean>((resolve) => child.once("close", (code) => resolve(code === 1)));
    };
    const free = (name: string) => place.until(async () => !(await isHeld(name)));
    const on = (name: string) => place.until(async () => existsSync(join(place.workspace, `${name}.on`)));
    const cut = execd.run(command("cut", "sleep 1000"), { timeout: 3_000 });
    assert.equal((await cut).exitCode, "-1");
    await free("cut");
    const running = execd.run(command("stopped", "trap '' TERM; echo deaf; sleep 1000"), { background: true });
    const [init] = await Promise.all([running, on("stopped")]);
    assert.equal(init.exitCode, "0");
    assert.ok(await isHeld("stopped"));
    // It doesn't listen to SIGTERM: what follows ends it.
    assert.equal((await fetch(`${execd.url}/command?id=${init.id}`, { method: "DELETE" })).status, 200);
    await free("stopped");
    void execd.run(command("last", "sleep 1000"), { background: true }).catch(() => undefined);
    await on("last");
    await execd.running.stop("SIGKILL");
    await free("last");
  },
);

jailTest(
  "it serves neither a home, nor its own, nor without bubblewrap, unless it is told to go without a jail",
  async (t) => {
    const place = new Place(t);
    mkdirSync(place.home);
    const refused = async (...args: string[]) => {
      const { code, stderr } = await place.run("execd", "serve", "--listen", "127.0.0.1:0", ...args);
      return `${code} ${stderr}`;
    };
    assert.match(await refused("--workspace", "/"), /^2 .*can't be the workspace/);
    assert.match(
      await refused("--workspace", dirname(place.home)),
      /^2 .*can't be the workspace.*Make a directory for it/,
    );
    assert.match(await refused("--workspace", place.home), /^2 .*Countersign's own/);
    assert.match(await refused("--no-jail", "--network"), /^2 .*--network is for the jail/);
    assert.match(await refused("--no-jail", "--allow-bind", place.workspace), /^2 .*--allow-bind is for isolated/);
    assert.match(await refused("--workspace", "/etc"), /^2 .*\/etc\/g?shadow\S* is in it/);
    for (const wide of ["/", "/etc", dirname(place.home), place.home, dirname(place.workspace), place.workspace])
      assert.match(await refused("--allow-bind", wide), /^2 .*can't be given to sessions/, wide);
    // A machine on which there is another program by that name.
    const bare = (...args: string[]) => {
      const line = [
        "--die-with-parent",
        "--dev-bind",
        "/",
        "/",
        "--ro-bind",
        "/dev/null",
        BWRAP,
        "--",
        process.execPath,
        BIN,
        "execd",
        "serve",
      ];
      const env = { PATH: process.env.PATH ?? "", HOME: dirname(place.home), COUNTERSIGN_HOME: place.home };
      const child = spawn(BWRAP, [...line, "--listen", "127.0.0.1:0", "--json", ...args], {
        cwd: place.workspace,
        env,
      });
      const running = new Running(child);
      t.after(() => running.stop("SIGKILL"));
      return running;
    };
    const without = await bare().ended;
    assert.match(without.stderr, /Commands can.t be jailed here.*bwrap.*Install bubblewrap, or give --no-jail/);
    assert.equal(without.code, 1);
    const open = bare("--no-jail");
    assert.equal((JSON.parse(await open.firstLine()) as { jail: unknown }).jail, null);
  },
);

/** A directory of another program, in which everybody may write. */
function makeOthers(t: TestContext): string {
  const path = mkdtempSync("/tmp/cs-others-");
  t.after(() => rmSync(path, { recursive: true, force: true }));
  chmodSync(path, 0o777);
  return path;
}

jailTest("nothing of the host is shown because of where its inhabitant says that it stands", async (t) => {
  const place = new Place(t);
  const home = dirname(place.home);
  for (const [directory, file] of [
    ["Documents", "letter.txt"],
    [".ssh", "id_ed25519"],
  ] as const) {
    mkdirSync(join(home, directory));
    writeFileSync(join(home, directory, file), "of-the-home");
  }
  const others = makeOthers(t);
  writeFileSync(join(others, "x"), "of-another-program");
  const execd = await Execd.start(place);
  for (const [says, reads] of [
    [`${home}/Documents`, `${home}/Documents/letter.txt`],
    [`${home}/Documents/../.ssh`, `${home}/.ssh/id_ed25519`],
    [others, `${others}/x`],
  ] as const)
    assert.doesNotMatch(await inSession(execd, `pwd() { echo ${says}; }`, `cat ${reads}`), /of-the-home|of-another/);
  // The jail's directory of that name is its own.
  await execd.run(`mkdir ${others} && echo mine > ${others}/mine`);
  assert.deepEqual((await execd.run("cat x mine", { cwd: others })).out, ["mine"]);
  // Where it really stands is kept, also where it is only read.
  assert.match(await inSession(execd, "cd /usr/share", "echo at:$PWD"), /at:\/usr\/share/);
});

jailTest("a repository of which the workspace says that it is a worktree isn't shown", async (t) => {
  const place = new Place(t);
  const execd = await Execd.start(place);
  const repository = join(temporaryOf(execd), "r");
  const { exitCode } = await execd.run(
    [
      "mkdir -p /tmp/r/worktrees/w && cd /tmp/r/worktrees/w",
      "echo ../.. > commondir",
      `echo ${place.workspace}/.git > gitdir`,
      "echo 'ref: refs/heads/main' > HEAD",
      `echo 'gitdir: ${repository}/worktrees/w' > ${place.workspace}/.git`,
    ].join("\n"),
  );
  assert.equal(exitCode, "0");
  assert.ok(existsSync(join(repository, "worktrees/w/HEAD")));
  assert.equal((await execd.run(`ls ${repository}`)).exitCode, "2");
});

jailTest("the way to a workspace in /tmp leads nowhere else, whatever is put in its place", async (t) => {
  const place = new Place(t);
  const [base, others] = [makeOthers(t), makeOthers(t)];
  const workspace = join(base, "a/ws");
  mkdirSync(workspace, { recursive: true });
  const execd = await Execd.start(place, "--workspace", workspace);
  // As bwrap sees the host while it makes a jail.
  const link = `ln -s /oldroot${others}`;
  const swap = `mv ${base} /tmp/zz; rm -rf ${base}; ${link} ${base}; mv ${base}/a /tmp/zz; ${link} ${base}/a; ${link} /tmp/link`;
  const isWhole = async () => {
    const { out } = await execd.run("pwd; echo x > made; ls -A ..");
    assert.deepEqual(out, [workspace, "ws"]);
    assert.ok(existsSync(join(workspace, "made")));
    assert.deepEqual(readdirSync(others), []);
  };
  await execd.run(swap);
  await isWhole();
  // By the routes for files, which aren't in the jail.
  const ask = async (method: string, path: string, body?: object) => {
    const { status } = await fetch(`${execd.url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    return status;
  };
  assert.equal(await ask("POST", "/files/mv", [{ src: base, dest: "/tmp/zz" }]), 403);
  assert.equal(await ask("DELETE", `/directories?path=${base}`), 403);
  assert.equal(await ask("DELETE", "/directories?path=/tmp"), 500);
  assert.equal(await ask("POST", "/files/mv", [{ src: "/tmp/link", dest: base }]), 403);
  await execd.run(swap);
  await isWhole();
});

/** What an isolated session's run says. */
async function isolated({ url }: Execd, asked: object, code: string): Promise<{ status: number; said: string }> {
  const post = (path: string, body: object) =>
    fetch(`${url}/v1/isolated/session${path}`, { method: "POST", body: JSON.stringify(body) });
  const made = await post("", asked);
  const { session_id: id, message = "" } = (await made.json()) as { session_id?: string; message?: string };
  if (id === undefined) return { status: made.status, said: message };
  return { status: made.status, said: await (await post(`/${id}/run`, { code })).text() };
}

jailTest("sessions can have bound what it is told, besides the workspace, and nothing else", async (t) => {
  const place = new Place(t);
  const [given, others] = [makeOthers(t), makeOthers(t)];
  for (const path of [given, others]) writeFileSync(join(path, "file"), `of ${path}`);
  mkdirSync(join(given, "deep"));
  symlinkSync(others, join(given, "link"));
  const execd = await Execd.start(place, "--allow-bind", given);
  const bind = (source: string, dest: string) => ({ workspace: { path: "." }, binds: [{ source, dest }] });
  const seen = await isolated(execd, bind(given, "/tmp/given"), "cat /tmp/given/file; touch /tmp/given/deep/made");
  assert.equal(seen.status, 201);
  assert.match(seen.said, new RegExp(`of ${given}`));
  assert.ok(existsSync(join(given, "deep/made")));
  for (const source of [others, join(given, "link"), dirname(given)]) {
    const { status, said } = await isolated(execd, bind(source, "/tmp/others"), "true");
    assert.deepEqual([status, /outside of what this execd was given/.test(said)], [403, true], source);
  }
});

jailTest("of an execd that is killed neither a session's processes nor its mounts stay", async (t) => {
  const place = new Place(t);
  const execd = await Execd.start(place);
  // Others' networks come and go meanwhile.
  const mounts = () => readFileSync("/proc/self/mountinfo", "utf8").replace(/^.* - nsfs .*\n/gm, "");
  const before = mounts();
  const locks = join(place.workspace, "locks");
  mkdirSync(locks);
  const asked = { workspace: { path: ".", mode: "overlay" }, extra_writable: [locks] };
  const code = "echo x > lost; setsid flock locks/held -c 'touch locks/on; exec sleep 1000' & sleep 1000";
  void isolated(execd, asked, code).catch(() => undefined);
  await place.until(async () => existsSync(join(locks, "on")));
  assert.equal(mounts(), before);
  await execd.running.stop("SIGKILL");
  await place.until(async () => {
    const child = spawn("/usr/bin/flock", ["-n", join(locks, "held"), "-c", "true"]);
    return await new Promise<boolean>((resolve) => child.once("close", (code) => resolve(code === 0)));
  });
  assert.equal(mounts(), before);
  assert.ok(!existsSync(join(place.workspace, "lost")));
});

jailTest("what one that was killed kept of its sessions is removed when the next begins", async (t) => {
  const place = new Place(t);
  const temporary = join(dirname(place.home), "tmp");
  mkdirSync(temporary);
  const jails = () => readdirSync(temporary).filter((name) => name.startsWith("countersign-jail-"));
  const start = () => Execd.startWith({ TMPDIR: temporary }, place);
  const stays = await start();
  const its = jails();
  const killed = await start();
  const code = "mkdir /tmp/q; echo s > /tmp/q/z; chmod 000 /tmp/q; echo done";
  for (const mode of ["rw", "overlay"])
    assert.match((await isolated(killed, { workspace: { path: ".", mode } }, code)).said, /done/);
  assert.equal(jails().length, 4);
  await killed.running.stop("SIGKILL");
  assert.equal(jails().length, 4);
  const next = await start();
  await until(async () => jails().length === 2);
  assert.deepEqual((await stays.run("echo here > /tmp/x; cat /tmp/x")).out, ["here"]);
  for (const { running } of [stays, next]) assert.equal((await running.stop()).code, 0);
  assert.deepEqual([its.length, jails()], [1, []]);
});
