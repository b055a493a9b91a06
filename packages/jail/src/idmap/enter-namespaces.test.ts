import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { test } from "node:test";
import { USER } from "../../test/support/idmap-fixture.ts";
import { enterNamespaces } from "./enter-namespaces.ts";

const mount = "/proc/7/fd/20";
const net = "/proc/7/fd/21";
const user = "/proc/7/fd/22";

test("what stands before bwrap, for a root hub and for an ordinary user's", () => {
  const ids = [`--setuid=${USER.uid}`, `--setgid=${USER.gid}`, "--"];
  assert.deepEqual(enterNamespaces({}, undefined), []);
  assert.deepEqual(enterNamespaces({}, USER), ["/usr/bin/nsenter", ...ids]);
  const entered = [`--mount=${mount}`, `--net=${net}`];
  assert.deepEqual(enterNamespaces({ mount, net }, USER), ["/usr/bin/nsenter", ...entered, ...ids]);
  assert.deepEqual(enterNamespaces({ net, user }, undefined), [
    ...["/usr/bin/nsenter", `--user=${user}`, `--net=${net}`, "--preserve-credentials", "--"],
  ]);
});

test("nobody is dropped to root, nor inside a user namespace, where ids mean others", () => {
  for (const ids of [
    { uid: 0, gid: 1 },
    { uid: 1, gid: 0 },
  ])
    assert.throws(() => enterNamespaces({ mount }, ids));
  assert.throws(() => enterNamespaces({ user, net }, USER));
});

const NONE = "0".repeat(16);
const isRoot = process.getuid?.() === 0;

test("dropping alone takes all groups and capabilities away", { skip: !isRoot && "needs root" }, (t) => {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([0, 4, 27]);
  t.after(() => process.setgroups?.(groups));
  const [program = "", ...args] = [...enterNamespaces({}, USER), "grep", "-E", "^(Uid|Gid|Groups|Cap(Prm|Eff|Amb)):"];
  const { stdout } = spawnSync(program, [...args, "/proc/self/status"], { encoding: "utf8" });
  const { uid, gid } = USER;
  assert.deepEqual(
    stdout.split("\n").map((line) => line.trim().split(/\s+/)),
    [
      ["Uid:", uid, uid, uid, uid].map(String),
      ["Gid:", gid, gid, gid, gid].map(String),
      ["Groups:"],
      ["CapPrm:", NONE],
      ["CapEff:", NONE],
      ["CapAmb:", NONE],
      [""],
    ],
  );
});

test("an ordinary user enters its own user and network namespace as itself", async (t) => {
  const as = isRoot ? USER : {};
  const holder = spawn("/usr/bin/unshare", ["--user", "--map-current-user", "--net", "--", "/bin/cat"], as);
  const ended = once(holder, "close");
  t.after(async () => {
    holder.kill("SIGKILL");
    await ended;
  });
  holder.stdin.on("error", () => t.diagnostic("unshare ended"));
  holder.stdin.write("ready\n");
  const [ready] = await Promise.race([once(holder.stdout, "data"), ended]);
  if (!Buffer.isBuffer(ready)) return t.skip("an ordinary user can't make user namespaces here");
  const of = (name: string) => `/proc/${holder.pid}/ns/${name}`;
  const script = "id -u; readlink /proc/self/ns/net; grep ^CapEff: /proc/self/status";
  const [program = "", ...args] = [
    ...enterNamespaces({ user: of("user"), net: of("net") }, undefined),
    ...["/bin/sh", "-c", script],
  ];
  const run = spawnSync(program, args, { encoding: "utf8", ...as });
  const id = isRoot ? USER.uid : process.getuid?.();
  const there = readlinkSync(of("net"));
  assert.deepEqual([run.stdout, run.stderr], [`${id}\n${there}\nCapEff:\t${NONE}\n`, ""]);
});
