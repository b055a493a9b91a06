import assert from "node:assert/strict";
import { test } from "node:test";
import { findHierarchies } from "./hierarchies.ts";

test("a machine with systemd: one tree of version 2", () => {
  const mountinfo = `22 27 0:21 / /proc rw,nosuid - proc proc rw
29 26 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
`;
  const cgroup = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/hub.service\n";
  assert.deepEqual(findHierarchies(mountinfo, cgroup), [
    {
      version: 2,
      controllers: [],
      mount: "/sys/fs/cgroup",
      own: "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/hub.service",
    },
  ]);
});

test("version 1, alone and beside version 2: only the trees of memory and processes, and ours", () => {
  const mountinfo = `32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/two\\040names rw,relatime - cgroup cgroup rw,xattr,devices,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`;
  const cgroup = "12:devices,pids:/\n4:memory:/a:b\n1:cpu:/\n0::/c\n";
  assert.deepEqual(findHierarchies(mountinfo, cgroup), [
    { version: 1, controllers: ["memory"], mount: "/sys/fs/cgroup/memory", own: "/sys/fs/cgroup/memory/a:b" },
    { version: 1, controllers: ["pids"], mount: "/sys/fs/cgroup/two names", own: "/sys/fs/cgroup/two names" },
    { version: 2, controllers: [], mount: "/sys/fs/cgroup/unified", own: "/sys/fs/cgroup/unified/c" },
  ]);
});

test("a container: what is mounted is a part of the tree, ours or another", () => {
  const mountinfo = "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
  const own = (path: string) => findHierarchies(mountinfo, `4:memory:${path}\n`).map((hierarchy) => hierarchy.own);
  assert.deepEqual(own("/docker/abc"), ["/sys/fs/cgroup/memory"]);
  assert.deepEqual(own("/docker/abc/d"), ["/sys/fs/cgroup/memory/d"]);
  for (const elsewhere of ["/docker/abcd", "/docker", "/", "/../../x"]) assert.deepEqual(own(elsewhere), []);
});

test("nothing is found where nothing is mounted, or said", () => {
  assert.deepEqual(findHierarchies("", ""), []);
  assert.deepEqual(findHierarchies("35 31 0:32 / /m rw - cgroup cgroup rw,memory\n", ""), []);
});
