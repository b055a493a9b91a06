import assert from "node:assert/strict";
import { test } from "node:test";
import type { PushPlace } from "@countersign/protocol/access";
import type { Channel } from "./channels/notice.ts";
import type { Configured } from "./configured.ts";
import { tiersOf } from "./tiers.ts";

const silent = (): Channel => ({ raise: () => undefined, withdraw: () => undefined });
const [bell, desktop, desk, phone] = [silent(), silent(), silent(), silent()];

interface There {
  readonly near?: readonly ("bell" | "desktop")[];
  readonly push?: readonly PushPlace[];
  readonly watched?: boolean;
  readonly channels?: Configured["channels"];
}

function tiers({ near = [], push = [], watched = false, channels = [] }: There) {
  return tiersOf({
    bell: near.includes("bell") ? bell : undefined,
    desktop: near.includes("desktop") ? { channel: desktop } : { problem: "notify-send isn't installed here" },
    push: { has: (place) => push.includes(place), channel: (place) => (place === "desk" ? desk : phone) },
    watched,
    channels,
  });
}

test("tiersOf orders the near tiers by steps, and the phone last", () => {
  const all = { near: ["bell", "desktop"], push: ["desk", "phone"] } as const;
  const table: readonly (readonly [There, readonly string[]])[] = [
    [all, ["bell 0", "desktop 5000", "browser 10000", "phone 30000"]],
    // The terminal that watches is the first, and rings by itself.
    [{ ...all, watched: true }, ["desktop 5000", "browser 10000", "phone 30000"]],
    [{ push: ["desk", "phone"] }, ["browser 0", "phone 30000"]],
    [{ push: ["desk"], watched: true }, ["browser 5000"]],
    [{ near: ["desktop"] }, ["desktop 0"]],
    // A phone has its time, also where nobody is called before.
    [{ push: ["phone"] }, ["phone 30000"]],
    [{}, []],
    [{ watched: true }, []],
  ];
  for (const [there, order] of table) {
    const found = tiers(there).map(({ name, afterMs }) => `${name} ${afterMs}`);
    assert.deepEqual(found, order, JSON.stringify(there));
  }
});

test("tiersOf gives each tier its channel, and the phone a longer interval", () => {
  const found = tiers({ near: ["bell", "desktop"], push: ["desk", "phone"] });
  assert.deepEqual(
    found.map(({ againMs }) => againMs),
    [10_000, 10_000, 10_000, 60_000],
  );
  for (const [n, channel] of [bell, desktop, desk, phone].entries()) assert.equal(found[n]?.channel, channel);
});
