import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import {
  inJail,
  jailed,
  openIdmapMounts,
  possessions,
  USER,
  whyNoIdmapMounts,
  workspaceOf,
} from "../../test/support/idmap-fixture.ts";
import { enterNamespaces } from "./enter-namespaces.ts";

const skip = (await whyNoIdmapMounts()) ?? false;

function childrenOf(pid: string): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
}

function ownersIn(dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dir).map((name) => {
      const { uid, gid, mode } = statSync(join(dir, name));
      return [name, `${uid}:${gid} ${(mode & 0o7777).toString(8)}`];
    }),
  );
}

for (const [uid, gid] of [
  [0, 0],
  [12_345, 12_346],
] as const) {
  test(`the dropped user works in a workspace that ${uid} keeps to itself, and leaves its owners`, {
    skip,
  }, async (t) => {
    const workspace = workspaceOf(t, uid, gid);
    const file = join(workspace, "file");
    writeFileSync(file, "old\n", { mode: 0o600 });
    chownSync(file, uid, gid);
    const namespace = await openIdmapMounts(t).open([workspace]);
    const script =
      "cat file; echo new >> file; mkdir made; echo x > made/x; mv made moved; echo y > y; stat -c %u:%g file";
    const run = inJail(namespace, [workspace], script);
    assert.deepEqual([run.status, run.stdout, run.stderr], [0, `old\n${USER.uid}:${USER.gid}\n`, ""]);
    assert.deepEqual(ownersIn(workspace), {
      file: `${uid}:${gid} 600`,
      moved: `${uid}:${gid} 755`,
      y: `${uid}:${gid} 644`,
    });
    assert.deepEqual(ownersIn(join(workspace, "moved")), { x: `${uid}:${gid} 644` });
    assert.equal(readFileSync(file, "utf8"), "old\nnew\n");
  });
}

test("nothing beside the workspace is reached, not even without a jail in the room", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  const secret = join(dirname(workspace), "secret");
  writeFileSync(secret, "secret", { mode: 0o600 });
  const namespace = await openIdmapMounts(t).open([workspace]);
  const inside = namespace.pathOf(workspace);
  const script = [secret, `${inside}/../secret`, `${inside}/../../secret`, "/etc/shadow", "/proc/1/environ"]
    .map((path) => `! cat ${path} && ! touch ${path} && ! rm ${path}`)
    .join(" && ");
  const [program = "", ...args] = [...enterNamespaces(namespace.namespaces, USER), "/bin/bash", "-c", script];
  const run = spawnSync(program, args, { encoding: "utf8" });
  assert.deepEqual([run.status, run.stdout], [0, ""], run.stderr);
  assert.equal(readFileSync(secret, "utf8"), "secret");
});

test("what others own in the workspace stays theirs, the dropped user's own number too", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  const other = { uid: 777, gid: 777 };
  for (const [name, { uid, gid }] of Object.entries({ other, user: USER })) {
    writeFileSync(join(workspace, name), "theirs", { mode: 0o600 });
    writeFileSync(join(workspace, `${name}-open`), "theirs");
    for (const file of [name, `${name}-open`]) chownSync(join(workspace, file), uid, gid);
  }
  const before = ownersIn(workspace);
  const namespace = await openIdmapMounts(t).open([workspace]);
  const script = `for name in other user; do
    ! cat $name && cat $name-open && ! chmod 777 $name && for file in $name $name-open; do ! echo x > $file && ! rm -f $file || exit 1; done || exit 1
  done`;
  const run = inJail(namespace, [workspace], script);
  assert.deepEqual([run.status, run.stdout], [0, "theirstheirs"], run.stderr);
  assert.deepEqual(ownersIn(workspace), before);
});

test("for the host a run is the dropped user, in none of the hub's groups", { skip }, async (t) => {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([0, 4, 27]);
  t.after(() => process.setgroups?.(groups));
  const workspace = workspaceOf(t, 0);
  const namespace = await openIdmapMounts(t).open([workspace]);
  const run = spawn(...jailed(namespace, [workspace], "id -G; echo ready; exec sleep 60"));
  const ended = once(run, "close");
  t.after(async () => {
    run.kill("SIGKILL");
    await ended;
  });
  // Once it says that, what ran before is over: nothing of it is found and gone a moment later.
  for (let said = ""; !said.includes("ready"); ) said += String((await once(run.stdout, "data"))[0]);
  const pids = [`${run.pid}`];
  for (const pid of pids) pids.push(...childrenOf(pid));
  assert.ok(pids.length >= 3, "bwrap, its init, bash");
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const line = (name: string) => (new RegExp(`^${name}:\t(.*)$`, "m").exec(status)?.[1] ?? "").trim();
    const four = (id: number) => Array(4).fill(id).join("\t");
    assert.deepEqual([line("Uid"), line("Gid"), line("Groups")], [four(USER.uid), four(USER.gid), ""]);
  }
});

test("files and sockets are mapped one by one", { skip }, async (t) => {
  const home = dirname(workspaceOf(t, 0));
  const [file, socket] = [join(home, "file"), join(home, "socket")] as const;
  writeFileSync(file, "text", { mode: 0o600 });
  const server = createServer((connection) => connection.end("heard")).listen(socket);
  await once(server, "listening");
  t.after(() => server.close());
  const namespace = await openIdmapMounts(t).open([file, socket]);
  const script = `
    process.stdout.write(fs.readFileSync(process.argv[1]));
    net.connect(process.argv[2]).pipe(process.stdout);`;
  const [program = "", ...args] = [
    ...enterNamespaces(namespace.namespaces, USER),
    ...[process.execPath, "-e", script, namespace.pathOf(file), namespace.pathOf(socket)],
  ];
  assert.equal((await spawn(program, args).stdout.toArray()).join(""), "textheard");
});

test("what lies where a room puts its mounts can be in one, too", { skip }, async (t) => {
  const path = `/dev/shm/countersign-test-${process.pid}`;
  t.after(() => rmSync(path, { force: true }));
  writeFileSync(path, "text", { mode: 0o600 });
  const rooms = openIdmapMounts(t);
  // tmpfs: before Linux 6.3 its owners can't be mapped.
  const namespace = await rooms.open([path]).catch((cause) => assert.equal(cause.code, "IDMAP_UNSUPPORTED"));
  if (namespace === undefined) return t.skip("this kernel can't map the owners of tmpfs");
  assert.equal(inJail(namespace, [], `cat ${namespace.pathOf(path)}`).status, 1, "a jail doesn't show the room itself");
  const [program = "", ...args] = [...enterNamespaces(namespace.namespaces, USER), "cat", namespace.pathOf(path)];
  assert.equal(spawnSync(program, args, { encoding: "utf8" }).stdout, "text");
});

test("a nested path is mapped for its own owner", { skip }, async (t) => {
  const outer = workspaceOf(t, 0);
  const inner = join(outer, "inner");
  mkdirSync(inner);
  chownSync(inner, 12_345, 12_345);
  const namespace = await openIdmapMounts(t).open([outer, inner]);
  const run = inJail(namespace, [outer, inner], "touch outer inner/inner");
  assert.equal(run.status, 0, run.stderr);
  assert.match(ownersIn(outer).outer ?? "", /^0:0 /);
  assert.match(ownersIn(inner).inner ?? "", /^12345:12345 /);
  assert.match(namespace.pathOf(join(inner, "a/b")), /\/1\/a\/b$/);
  for (const path of ["/etc", dirname(outer), `${outer}-beside`]) assert.equal(namespace.pathOf(path), path);
  for (const path of [`${outer}/../x`, "relative", "/dev/shm", "/dev/shm/x"])
    assert.throws(() => namespace.pathOf(path));
});

test("what can't be mapped is refused", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  const at = (name: string) => join(workspace, name);
  for (const name of ["users", "nobodys", "no-group"]) mkdirSync(at(name));
  chownSync(at("users"), USER.uid, 0);
  chownSync(at("nobodys"), 65_534, 0);
  chownSync(at("no-group"), 0, 65_534);
  symlinkSync(workspace, at("link"));
  spawnSync("mkfifo", [at("pipe")]);
  const refused = ["", "/", "relative", "//", "/etc/", "/etc/../etc", `${workspace}\0`, at("absent"), at("link")];
  refused.push(at("link/users"), at("users"), at("nobodys"), at("no-group"), at("pipe"), "/dev/null", "x".repeat(5000));
  const rooms = openIdmapMounts(t);
  for (const path of refused) await assert.rejects(rooms.open([workspace, path]), { code: "PATH_REFUSED" }, path);
  const many = Array.from({ length: 257 }, (_, n) => at(`${n}`));
  await assert.rejects(rooms.open(many), { code: "PATH_REFUSED" });
  await assert.rejects(rooms.open(["/proc/sys"]), { code: "IDMAP_UNSUPPORTED", message: /\/proc\/sys/ });
  // A refusal isn't remembered.
  await rooms.open([workspace]);
});

test("a room is made once for all who want the same paths, and anew when one was replaced", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  const beside = workspaceOf(t, 0);
  const before = possessions();
  const rooms = openIdmapMounts(t);
  const wanted = [
    [workspace, beside],
    [beside, workspace],
    [workspace, beside, workspace],
  ];
  const [first, ...others] = await Promise.all(wanted.map((paths) => rooms.open(paths)));
  assert.ok(first);
  for (const other of others) {
    assert.deepEqual(other.namespaces, first.namespaces);
    assert.equal(other.pathOf(workspace), first.pathOf(workspace));
    other.release();
  }
  assert.equal(possessions().descriptors, before.descriptors + 1);

  renameSync(workspace, `${workspace}-before`);
  mkdirSync(workspace);
  const second = await rooms.open([workspace, beside]);
  assert.notDeepEqual(second.namespaces, first.namespaces);
  inJail(first, [workspace], "touch first");
  inJail(second, [workspace], "touch second");
  assert.deepEqual([readdirSync(`${workspace}-before`), readdirSync(workspace)], [["first"], ["second"]]);
  // The replaced one is closed by the last who uses it.
  assert.equal(possessions().descriptors, before.descriptors + 2);
  first.release();
  first.release();
  assert.equal(possessions().descriptors, before.descriptors + 1);

  chownSync(workspace, 12_345, 12_345);
  assert.notDeepEqual((await rooms.open([workspace, beside])).namespaces, second.namespaces);
  rooms.close();
  assert.deepEqual(possessions(), before);
});

test("of too many rooms the one that waits longest is closed, but none in use", { skip }, async (t) => {
  const workspaces = [workspaceOf(t, 0), workspaceOf(t, 0), workspaceOf(t, 0)] as const;
  const before = possessions();
  const rooms = openIdmapMounts(t, { maxOpen: 2 });
  const [a, b] = [await rooms.open([workspaces[0]]), await rooms.open([workspaces[1]])];
  await assert.rejects(rooms.open([workspaces[2]]), { code: "TOO_MANY_ROOMS" });
  a.release();
  await rooms.open([workspaces[2]]);
  assert.equal(possessions().descriptors, before.descriptors + 2);
  assert.equal(inJail(b, [workspaces[1]], "true").status, 0);
  await assert.rejects(rooms.open([workspaces[0]]), { code: "TOO_MANY_ROOMS" });
});

test("when the hub stops, nothing stays open, not even what is being made", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  const before = possessions();
  const rooms = openIdmapMounts(t);
  const held = await rooms.open([workspace]);
  const making = assert.rejects(rooms.open([dirname(workspace)]), { code: "CLOSED" });
  rooms.close();
  await making;
  held.release();
  await assert.rejects(rooms.open([workspace]), { code: "CLOSED" });
  assert.deepEqual(possessions(), before);
});

test("a hub that is killed leaves no maker behind", { skip }, async (t) => {
  const workspace = workspaceOf(t, 0);
  const door = new URL("./idmap-mounts.ts", import.meta.url).href;
  const script = `const { IdmapMounts } = await import(${JSON.stringify(door)});
    new IdmapMounts({ user: ${JSON.stringify(USER)} }).open([${JSON.stringify(workspace)}]);
    process.kill(process.pid, "SIGKILL");`;
  const hub = spawn(process.execPath, ["--input-type=module", "-e", script], { detached: true, stdio: "inherit" });
  const [, signal] = await once(hub, "close");
  assert.equal(signal, "SIGKILL");
  const group = -(hub.pid ?? assert.fail());
  await assert.rejects(
    async () => {
      for (let tries = 0; tries < 6_000; tries += 1) {
        process.kill(group, 0);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    { code: "ESRCH" },
  );
});
