import assert from "node:assert/strict";
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dumpability } from "@countersign/native";
import { tempDirectory } from "../../../store/test/temp-store.ts";
import { asOwner } from "./as-owner.ts";

const skip = process.getuid?.() === 0 ? false : "only root can become another user";
const status = () => readFileSync("/proc/thread-self/status", "utf8").match(/^(?:Uid|Gid|Groups|CapEff|CapPrm):.*$/gm);

test("to files it is that owner and nobody more, root itself too; afterwards it is who it was, whatever happened", {
  skip,
}, (t) => {
  const directory = tempDirectory(t);
  chmodSync(directory, 0o755);
  const place = (name: string, uid: number, mode: number) => {
    writeFileSync(join(directory, name), name);
    chownSync(join(directory, name), uid, uid);
    chmodSync(join(directory, name), mode);
  };
  place("ann", 3_000, 0o600);
  place("bob", 4_000, 0o600);
  place("root", 0, 0o600);
  place("group", 4_000, 0o660);
  chownSync(join(directory, "group"), 4_000, 0);
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([0, 4, 27]);
  t.after(() => process.setgroups?.(groups));
  const before = status();
  const dumpable = dumpability();
  const readable = () =>
    ["ann", "bob", "root", "group"].filter((name) => {
      try {
        return readFileSync(join(directory, name), "utf8") === name;
      } catch (cause) {
        assert.equal((cause as NodeJS.ErrnoException).code, "EACCES");
        return false;
      }
    });
  assert.deepEqual(asOwner({ uid: 3_000, gid: 3_000 }, readable), ["ann"]);
  assert.deepEqual(asOwner({ uid: 0, gid: 0 }, readable), ["root", "group"]);
  assert.deepEqual(status(), before);
  assert.throws(
    () =>
      asOwner({ uid: 3_000, gid: 3_000 }, () => {
        throw new Error("in its middle");
      }),
    /in its middle/,
  );
  assert.deepEqual(status(), before);
  assert.deepEqual(readable(), ["ann", "bob", "root", "group"]);
  assert.equal(dumpability(), dumpable, "of the whole process");
  assert.deepEqual(asOwner({ uid: 3_000_000_000, gid: 3_000_000_000 }, readable), []);
  mkdirSync(join(directory, "open"));
  chmodSync(join(directory, "open"), 0o777);
  asOwner({ uid: 3_000, gid: 3_001 }, () => mkdirSync(join(directory, "open/made")));
  const { uid, gid } = lstatSync(join(directory, "open/made"));
  assert.deepEqual([uid, gid], [3_000, 3_001]);
});
