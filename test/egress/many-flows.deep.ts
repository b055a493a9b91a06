import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EgressRoom } from "./egress-room.ts";
import { whyNoNetwork } from "./network.ts";

const skip = whyNoNetwork() ?? false;

test("thousands of short flows, and the observer killed in their middle: each is told once, or counted", {
  skip,
}, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, box1, box2] = await Promise.all(
    (["world", "box1", "box2"] as const).map((each) => room.network.peer(each)),
  );
  assert(world && box1 && box2);
  await world.ask("serveTcp", { host: "10.77.9.2", port: 80 });
  const sandboxes = ["--sandbox", "one=cable1", "--sandbox", "two=cable2"];
  let observer = await room.observe(...sandboxes);
  const many = { host: "10.77.9.2", port: 80, count: 3_000, at_once: 32 };
  const sending = Promise.all([box1.ask("many", many), box2.ask("many", many)]);
  for (let kills = 0; kills < 2; kills += 1) {
    const told = room.onRecord("one").flows.length;
    await room.until("one", ({ flows }) => flows.length > told + 50);
    await observer.stop("SIGKILL");
    // Some while nobody looks.
    await sleep(500);
    observer = await room.observe(...sandboxes);
  }
  await sending;
  for (const id of ["one", "two"]) {
    const { flows, dropped, gaps } = await room.until(id, (now) => now.flows.length + now.dropped >= many.count);
    assert.equal(flows.length + dropped, many.count, `${id}: ${flows.length} told, ${dropped} dropped`);
    assert.equal(new Set(flows.map(({ correlation }) => correlation)).size, flows.length);
    assert.ok(flows.length > 50);
    assert.equal(gaps.filter(({ reason }) => reason === "not-running").length, 2);
  }
  // Counts of observers before are done with, and taken away.
  await observer.stop();
  await room.order("clear");
  assert.equal(room.network.run("host", "nft list tables"), "");
});

test("a scan of what is blocked is told in part, and counted in whole", { skip }, async (t) => {
  const room = await EgressRoom.make(t);
  const box = await room.network.peer("box1");
  await room.observe("--sandbox", "one=cable1");
  const ports = 3_000;
  for (let port = 1; port <= ports; port += 1)
    await box.ask("udp", { host: "169.254.169.254", port, bytes: 1 }).catch(() => undefined);
  const { flows, dropped } = await room.until("one", (now) => now.flows.length + now.dropped >= ports);
  assert.equal(flows.length + dropped, ports);
  assert.ok(flows.every(({ verdict }) => verdict === "blocked"));
  assert.ok(flows.length >= 500 && dropped > 0);
});
