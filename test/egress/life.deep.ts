import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, EgressRoom } from "./egress-room.ts";
import { whyNoNetwork } from "./network.ts";

const skip = whyNoNetwork() ?? false;

test("an observer that is killed leaves its rules, and the next one tells the gap and counts what nobody heard", {
  skip,
}, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, box] = await Promise.all((["world", "box1"] as const).map((each) => room.network.peer(each)));
  assert(world && box);
  for (const address of ["10.77.9.2", "169.254.169.254"]) await world.ask("serveTcp", { host: address, port: 80 });
  const first = await room.observe("--sandbox", "one=cable1");
  await box.ask("tcp", { host: "10.77.9.2", port: 80 });
  const held = await box.ask<number>("hold", { host: "10.77.9.2", port: 80, bytes: 10 });
  await room.until("one", ({ flows }) => flows.length === 1);
  await first.stop("SIGKILL");

  // Nobody looks: flows begin and end, rules hold.
  await box.ask("many", { host: "10.77.9.2", port: 80, count: 20, at_once: 4 });
  await assert.rejects(box.ask("tcp", { host: "169.254.169.254", port: 80 }), /ECONNREFUSED/);
  await box.ask("write", { port: held, bytes: 1_000 });

  // What was added by order, and what was given, is looked at again, with nothing given.
  const second = await room.observe();
  await box.ask("many", { host: "10.77.9.2", port: 80, count: 5 });
  await box.ask("letGo", { port: held });
  const flows = 1 + 1 + 20 + 5;
  const blocked = 1;
  const all = await room.until("one", ({ flows: told, dropped }) => told.length + dropped >= flows + blocked);
  assert.equal(all.flows.length + all.dropped, flows + blocked);
  assert.ok(all.dropped >= blocked);
  assert.ok(all.flows.some(({ bytes_out }) => bytes_out > 1_010));
  assert.equal(new Set(all.flows.map(({ correlation }) => correlation)).size, all.flows.length);
  const [gap, ...others] = all.gaps;
  assert.deepEqual([gap?.reason, gap?.rules, others], ["not-running", "stayed", []]);
  assert.ok(Date.parse(gap?.from ?? "") < Date.parse(gap?.to ?? ""));

  await second.stop();
  const { code } = await room.order("clear");
  assert.equal(code, 0);
  assert.equal(room.network.run("host", "nft list tables"), "");
  const third = await room.observe("--remove-rules");
  const later = await room.until("one", ({ gaps }) => gaps.length === 2);
  assert.equal(later.gaps[1]?.rules, "gone");
  await third.stop();
  assert.equal(room.network.run("host", "nft list tables"), "");
  const verified = await room.place.run("receipts", "verify");
  assert.match(verified.stdout, /whole|vouch/i, verified.stderr);
});

test("sandboxes come and go at run time; what ends with them is told, and nothing of them stays", {
  skip,
}, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, box1, box2] = await Promise.all(
    (["world", "box1", "box2"] as const).map((each) => room.network.peer(each)),
  );
  assert(world && box1 && box2);
  await world.ask("serveTcp", { host: "10.77.9.2", port: 80 });
  await room.observe("--sandbox", "one=cable1");
  const list = async () => JSON.parse((await room.order("list", "--json")).stdout).sandboxes as { id: string }[];
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    ["one"],
  );
  assert.match((await room.order("add", "one=cable2")).stderr, /TAKEN/);
  assert.match((await room.order("remove", "two")).stderr, /NOT_THERE/);
  // One that is older than the look at it is told too.
  await box2.ask("hold", { host: "10.77.9.2", port: 80, bytes: 10 });
  const held = await box2.ask<number>("hold", { host: "10.77.9.2", port: 80 });
  assert.equal((await room.order("add", "two=10.77.2.0/24")).code, 0);
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    ["one", "two"],
  );
  await box2.ask("write", { port: held, bytes: 500 });
  await box2.ask("hold", { host: "10.77.9.2", port: 80, bytes: 10 });
  assert.equal((await room.order("remove", "two")).code, 0);
  const two = await room.until("two", ({ flows }) => flows.length === 2);
  assert.deepEqual(two.flows.map(brief), Array(2).fill("final tcp 10.77.9.2 80 allowed"));
  assert.doesNotMatch(room.network.run("host", "nft list table inet countersign_egress"), /10\.77\.2/);
  assert.equal((await room.order("add", "two=cable2")).code, 0);
  const again = await room.until("two", ({ gaps }) => gaps.length === 1);
  assert.deepEqual([again.gaps[0]?.reason, again.dropped], ["detached", 0]);
});

test("a flow that lasts is told while it does, under one correlator, and in full at its end", { skip }, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, box] = await Promise.all((["world", "box1"] as const).map((each) => room.network.peer(each)));
  assert(world && box);
  await world.ask("serveTcp", { host: "10.77.9.2", port: 80 });
  await room.observe("--sandbox", "one=cable1", "--interim", "1");
  const held = await box.ask<number>("hold", { host: "10.77.9.2", port: 80, bytes: 100 });
  await room.until("one", ({ flows }) => flows.length >= 1);
  await box.ask("write", { port: held, bytes: 10_000 });
  const { flows: before } = await room.until("one", ({ flows }) => (flows.at(-1)?.bytes_out ?? 0) > 10_100);
  assert.ok(before.every(({ part, ended_at }) => part === "interim" && ended_at === undefined));
  await box.ask("letGo", { port: held });
  const { flows } = await room.until("one", ({ flows: now }) => now.at(-1)?.part === "final");
  assert.equal(new Set(flows.map(({ correlation }) => correlation)).size, 1);
  const bytes = flows.map(({ bytes_out }) => bytes_out);
  assert.deepEqual(
    bytes,
    bytes.toSorted((one, other) => one - other),
  );
});

test("an unanswered flow is told when it is given up; what waits for a recorder that is away goes later", {
  skip,
}, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, box] = await Promise.all((["world", "box1"] as const).map((each) => room.network.peer(each)));
  assert(world && box);
  await room.observe("--sandbox", "one=cable1");
  await room.recorder?.stop();
  // Nobody there answers, not even that nobody does.
  room.network.run(
    "world",
    "nft add table ip t && nft add chain ip t c '{ type filter hook input priority 0 ; policy drop ; }'",
  );
  void box.ask("tcp", { host: "10.77.9.3", port: 80 }).catch(() => undefined);
  await box.ask("udp", { host: "10.77.9.3", port: 700, bytes: 1 });
  const waits = async () => JSON.parse((await room.order("list", "--json")).stdout).sandboxes[0].waiting as number;
  while ((await waits()) < 2) assert.ok(room.recorder);
  await room.record();
  const { flows } = await room.until("one", (now) => now.flows.length >= 2);
  assert.deepEqual(
    new Set(flows.map(brief)),
    new Set(["final udp 10.77.9.3 700 allowed", "final tcp 10.77.9.3 80 allowed"]),
  );
});

test("rules that somebody takes away are made again, and the gap is told", { skip }, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, box] = await Promise.all((["world", "box1"] as const).map((each) => room.network.peer(each)));
  assert(world && box);
  await world.ask("serveTcp", { host: "169.254.169.254", port: 80 });
  await room.observe("--sandbox", "one=cable1");
  room.network.run("host", "nft flush ruleset");
  const { gaps } = await room.until("one", (now) => now.gaps.length === 1);
  assert.deepEqual([gaps[0]?.reason, gaps[0]?.rules], ["detached", "gone"]);
  await assert.rejects(box.ask("tcp", { host: "169.254.169.254", port: 80 }), /ECONNREFUSED/);
  const { flows, dropped } = await room.until("one", (now) => now.flows.length === 1);
  assert.deepEqual([flows.map(brief), dropped], [["final tcp 169.254.169.254 80 blocked"], 0]);
});
