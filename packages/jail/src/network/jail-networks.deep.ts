import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { silentLog, systemClock } from "@countersign/core/base";
import { BWRAP } from "../../test/support/inside-network.ts";
import { JailNetworks } from "./jail-networks.ts";

const COUNT = 500;

test(`${COUNT} rooms, one after the other, leave no descriptor behind`, async () => {
  const networks = new JailNetworks({ bwrap: BWRAP, clock: systemClock, log: silentLog });
  const openAndClose = async () => (await networks.open({ hosts: "any", privateToo: false })).close();
  await openAndClose();
  const before = readdirSync("/proc/self/fd").length;
  for (let n = 0; n < COUNT; n += 1) await openAndClose();
  await networks.close();
  const after = readdirSync("/proc/self/fd").length;
  assert.ok(after <= before, `${before} descriptors before, ${after} after`);
});
