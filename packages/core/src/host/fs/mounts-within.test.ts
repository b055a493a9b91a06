import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMountInfo } from "./mount-info.ts";
import { mountsWithin } from "./mounts-within.ts";

test("the kernel's list is read with its escapes; broken lines are left out", () => {
  const text = [
    "22 1 254:0 / / rw - ext4 /dev/vda rw",
    "30 22 0:5 / /w/proc rw,nosuid shared:3 - proc proc rw",
    "31 22 0:9 / /w/a\\040b\\134c rw shared:3 master:4 - fuse.sshfs host: rw",
    "32 22 0:7 / /w/\xff rw - tmpfs tmpfs rw",
    "33 22 0:8 / /w rw - ext4 /dev/vdb rw",
    "34 22 0:8 / /wide rw - nfs4 host:/x rw",
    "broken",
    "",
  ].join("\n");
  const mounts = parseMountInfo(Buffer.from(text, "latin1"));
  assert.deepEqual(mountsWithin("/w", mounts), [
    { path: "/w/proc", kind: "kernel" },
    { path: "/w/a b\\c", kind: "network" },
    { path: "/w/\udcff", kind: "ordinary" },
  ]);
  assert.deepEqual(
    mountsWithin("/", mounts).map(({ path }) => path),
    ["/w/proc", "/w/a b\\c", "/w/\udcff", "/w", "/wide"],
  );
});
