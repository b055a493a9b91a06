import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalBell } from "./terminal-bell.ts";

test("a terminal is rung with BEL alone, and what isn't one is sent nothing", () => {
  const said: unknown[] = [];
  const write = (text: unknown) => said.push(text) > 0;
  assert.equal(terminalBell({ isTTY: false, write }), undefined);
  terminalBell({ isTTY: true, write })?.();
  assert.deepEqual(said, ["\x07"]);
});
