import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { lostPoint, readTable } from "./mount-table.ts";

const line = (id: number, point: string) => `${id} 1 0:1 / ${point} rw,relatime - tmpfs tmpfs rw\n`;

/** A table of so many mounts, larger than what is read at once. */
function tableOf(t: TestContext, count: number, more = ""): number {
  const directory = mkdtempSync(join(tmpdir(), "mounts-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "mountinfo");
  writeFileSync(path, Array.from({ length: count }, (_, at) => line(at, `/m/${at}`)).join("") + more);
  const fd = openSync(path, "r");
  t.after(() => closeSync(fd));
  return fd;
}

test("lostPoint finds a mount that is gone or another one among thousands", (t) => {
  const all = readTable(tableOf(t, 20_000, line(50_000, "/w/s.sh")));
  assert.deepEqual([all.size, all.get("/m/19999"), all.get("/w/s.sh")], [20_001, "19999", "50000"]);
  const mounts = new Map([["/w/s.sh", "50000"]]);
  assert.equal(lostPoint(tableOf(t, 20_000, line(50_000, "/w/s.sh")), mounts), undefined);
  assert.equal(lostPoint(tableOf(t, 20_000), mounts), "/w/s.sh");
  assert.equal(lostPoint(tableOf(t, 20_000, line(50_001, "/w/s.sh")), mounts), "/w/s.sh");
  // One that is mounted over it hides it.
  assert.equal(lostPoint(tableOf(t, 2, line(50_000, "/w/s.sh") + line(50_001, "/w/s.sh")), mounts), "/w/s.sh");
});

test("lostPoint counts a table that can't be read as lost", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "mounts-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const fd = openSync(directory, "r");
  t.after(() => closeSync(fd));
  assert.equal(lostPoint(fd, new Map([["/w/s.sh", "1"]])), "");
});
