import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { silentLog, systemClock } from "@countersign/core/base";
import { BWRAP } from "../../test/support/inside-room.ts";
import { NetworkRooms } from "./network-rooms.ts";

const ROOMS = 500;

test(`${ROOMS} rooms, one after the other, leave no descriptor behind`, async () => {
  const rooms = new NetworkRooms({ bwrap: BWRAP, clock: systemClock, log: silentLog });
  const openAndClose = async () => (await rooms.open({ hosts: "any", privateToo: false })).close();
  await openAndClose();
  const before = readdirSync("/proc/self/fd").length;
  for (let n = 0; n < ROOMS; n += 1) await openAndClose();
  await rooms.close();
  const after = readdirSync("/proc/self/fd").length;
  assert.ok(after <= before, `${before} descriptors before, ${after} after`);
});
