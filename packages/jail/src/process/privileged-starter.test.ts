import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { findHierarchies } from "./hierarchies.ts";
import { PrivilegedStarter } from "./privileged-starter.ts";
import { spawnChild } from "./spawn-child.ts";
import { canChangeContext, type StartContext } from "./start-context.ts";

/** Nobody's. */
const USER = { uid: 54_321, gid: 54_322 };
const skip = !canChangeContext() && "only root's threads can become others";

function starter(t: TestContext): PrivilegedStarter {
  const made = new PrivilegedStarter();
  t.after(() => made.close());
  return made;
}

async function bash(from: PrivilegedStarter, context: Partial<StartContext>, script: string): Promise<string> {
  const child = await spawnChild({
    ...{ file: "/bin/bash", args: ["-c", script], env: { PATH: "/usr/bin:/bin" }, cwd: "/", descriptors: [], pipes: 0 },
    start: (request) => from.start(request, { namespaces: {}, user: USER, groups: [], ...context }),
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), child.ended]);
  return out + err;
}

/** A process in namespaces of its own, for as long as the test. */
async function elsewhere(t: TestContext): Promise<number> {
  const holder = spawn("/usr/bin/unshare", ["--mount", "--net", "--", "/bin/cat"]);
  t.after(async () => {
    holder.kill("SIGKILL");
    await once(holder, "close");
  });
  holder.stdin.write("ready\n");
  await once(holder.stdout, "data");
  return holder.pid as number;
}

const STATUS = "grep -E '^(Uid|Gid|Groups|CapPrm|CapEff|CapAmb):' /proc/self/status; ulimit -Hc";
const NONE = "0".repeat(16);
const DROPPED = [
  ...["Uid:", "Gid:"].map((name, at) => `${name}${`\t${[USER.uid, USER.gid][at]}`.repeat(4)}`),
  ...["Groups:\t ", `CapPrm:\t${NONE}`, `CapEff:\t${NONE}`, `CapAmb:\t${NONE}`, "0", ""],
].join("\n");

test("what it starts is that user's alone, without groups, capabilities or a way back", { skip }, async (t) => {
  assert.equal(await bash(starter(t), {}, STATUS), DROPPED);
});

test("it stands in the namespaces and control groups that it was given, and the next one where the hub does", {
  skip,
}, async (t) => {
  const from = starter(t);
  const pid = await elsewhere(t);
  const group = controlGroup(t);
  const here = `${readlinkSync("/proc/self/ns/mnt")}\n${readlinkSync("/proc/self/ns/net")}\n`;
  const there = `${readlinkSync(`/proc/${pid}/ns/mnt`)}\n${readlinkSync(`/proc/${pid}/ns/net`)}\n`;
  assert.notEqual(here, there);
  const script = "readlink /proc/self/ns/mnt /proc/self/ns/net; cat /proc/self/cgroup";
  const namespaces = { mount: `/proc/${pid}/ns/mnt`, net: `/proc/${pid}/ns/net` };
  const own = readFileSync("/proc/self/cgroup", "utf8");
  const inside = await bash(from, { namespaces, groups: group ? [join(group, "tasks")] : [] }, script);
  assert.ok(inside.startsWith(there), inside);
  if (group) assert.match(inside, /\/starter-test-\d+\n/);
  else t.diagnostic("no control groups of version 1 here: not tried");
  assert.equal(await bash(from, {}, script), here + own);
  // The hub's own threads never left.
  assert.equal(`${readlinkSync("/proc/self/ns/mnt")}\n${readlinkSync("/proc/self/ns/net")}\n`, here);
  assert.deepEqual([process.getuid?.(), process.geteuid?.()], [0, 0]);
});

test("what can't be reached starts nothing and says why, and the thread goes on", { skip }, async (t) => {
  const from = starter(t);
  const fails = async (context: Partial<StartContext>, how: object) =>
    await assert.rejects(bash(from, context, "echo started"), how);
  await fails({ groups: ["/sys/fs/cgroup/nowhere/tasks"] }, /ENOENT|EACCES/);
  await fails({ namespaces: { mount: "/proc/self/status" } }, { code: "EINVAL" });
  await fails({ namespaces: { mount: "/nowhere" } }, { code: "ENOENT" });
  await fails({ user: { uid: 0, gid: 1 } }, /root/);
  await fails({ user: { uid: 1, gid: 0 } }, /root/);
  assert.equal(await bash(from, {}, STATUS), DROPPED);
});

test("a start that a closed thread was asked for is refused, and never hangs", { skip }, async () => {
  const from = new PrivilegedStarter();
  const started = bash(from, {}, "true");
  const refused = assert.rejects(started, /thread that was asked has ended/);
  await from.close();
  await refused;
});

/** Of the hub's own, where there are such groups and they may be made. */
function controlGroup(t: TestContext): string | undefined {
  const [hierarchy] = findHierarchies(
    readFileSync("/proc/self/mountinfo", "utf8"),
    readFileSync("/proc/self/cgroup", "utf8"),
  ).filter(({ version, controllers }) => version === 1 && controllers.includes("pids"));
  if (!hierarchy) return undefined;
  const dir = join(hierarchy.own, `starter-test-${process.pid}`);
  try {
    mkdirSync(dir);
    writeFileSync(join(dir, "pids.max"), "100");
  } catch {
    return undefined;
  }
  t.after(() => rmdirSync(dir));
  return dir;
}
