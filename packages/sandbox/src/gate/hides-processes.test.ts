import assert from "node:assert/strict";
import { test } from "node:test";
import { hidesProcesses } from "./hides-processes.ts";

const mounted = (options: string) =>
  `21 1 8:1 / / rw - ext4 /dev/a rw\n22 21 0:21 / /proc rw,relatime - proc proc ${options}\n`;

test("processes may be hidden wherever /proc doesn't say that all are shown", () => {
  assert.equal(hidesProcesses(mounted("rw"), true), false);
  assert.equal(hidesProcesses(mounted("rw,hidepid=0"), true), false);
  assert.equal(hidesProcesses(mounted("rw,hidepid=off"), true), false);
  for (const how of ["1", "2", "4", "noaccess", "invisible", "ptraceable"]) {
    assert.equal(hidesProcesses(mounted(`rw,gid=5,hidepid=${how}`), true), true, how);
    assert.equal(hidesProcesses(mounted("rw") + mounted(`rw,hidepid=${how}`), true), true, how);
  }
  assert.equal(hidesProcesses(mounted("rw"), false), true);
  assert.equal(hidesProcesses("", true), true);
});
