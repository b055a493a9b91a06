import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { makeMessageId } from "./message-id.ts";

test("ids are UUIDv7 of their time, and differ", () => {
  for (const nowMs of [0, 1, 0xffff, 0x10000, 1_738_700_060_000, 2 ** 48 - 1]) {
    const id = z.uuidv7().parse(makeMessageId(nowMs));
    assert.equal(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16), nowMs);
  }
  assert.equal(new Set(Array.from({ length: 1_000 }, () => makeMessageId(0))).size, 1_000);
});
