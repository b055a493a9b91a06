import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, EgressRoom } from "./egress-room.ts";
import { type Peer, whyNoNetwork } from "./network.ts";

const skip = whyNoNetwork() ?? false;

/** Whether it got through, and the code with which it didn't. */
async function reach(box: Peer, host: string, port: number): Promise<string> {
  return await box.ask("tcp", { host, port }).then(
    () => "reached",
    (cause: Error) => cause.message,
  );
}

test("metadata, link-local and the host's own services are blocked by default, and opened by name only", {
  skip,
}, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, host, box1, box2] = await Promise.all(
    (["world", "host", "box1", "box2"] as const).map((each) => room.network.peer(each)),
  );
  assert(world && host && box1 && box2);
  for (const address of ["169.254.169.254", "100.100.100.200", "fd00:ec2::254", "10.77.9.2"])
    await world.ask("serveTcp", { host: address, port: 80 });
  await host.ask("serveTcp", { host: "0.0.0.0", port: 81 });
  await host.ask("serveTcp", { host: "0.0.0.0", port: 82 });
  await room.observe("--sandbox", "one=cable1");
  const added = await room.order("add", "two=cable2", "--open", "169.254.169.254:80", "--open", "host:81/tcp");
  assert.equal(added.code, 0, added.stderr);

  for (const address of ["169.254.169.254", "100.100.100.200", "fd00:ec2::254"])
    assert.notEqual(await reach(box1, address, 80), "reached", address);
  for (const port of [81, 82]) assert.notEqual(await reach(box1, "10.77.1.1", port), "reached");
  // By none of its addresses.
  assert.notEqual(await reach(box1, "10.77.9.1", 81), "reached");
  assert.equal(await reach(box1, "10.77.9.2", 80), "reached");
  assert.equal(await reach(box2, "169.254.169.254", 80), "reached");
  assert.equal(await reach(box2, "10.77.2.1", 81), "reached");
  assert.notEqual(await reach(box2, "10.77.2.1", 82), "reached");
  assert.notEqual(await reach(box2, "100.100.100.200", 80), "reached");

  const one = await room.until("one", ({ flows }) => flows.length >= 7);
  assert.deepEqual(one.flows.map(brief).sort(), [
    "final tcp 10.77.1.1 81 blocked",
    "final tcp 10.77.1.1 82 blocked",
    "final tcp 10.77.9.1 81 blocked",
    "final tcp 10.77.9.2 80 allowed",
    "final tcp 100.100.100.200 80 blocked",
    "final tcp 169.254.169.254 80 blocked",
    "final tcp fd00:ec2::254 80 blocked",
  ]);
  for (const { verdict, bytes_out, enforcement } of one.flows)
    assert.deepEqual([bytes_out > 0, enforcement], verdict === "blocked" ? [false, "enforced"] : [true, "none"]);
  const two = await room.until("two", ({ flows }) => flows.length >= 4);
  assert.deepEqual(two.flows.map(brief).sort(), [
    "final tcp 10.77.2.1 81 allowed",
    "final tcp 10.77.2.1 82 blocked",
    "final tcp 100.100.100.200 80 blocked",
    "final tcp 169.254.169.254 80 allowed",
  ]);
  assert.deepEqual([one.dropped, two.dropped], [0, 0]);
});

test("an allowlist lets through ranges, ports and names that the sandbox was answered, and nothing else", {
  skip,
}, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, box1, box2] = await Promise.all(
    (["world", "box1", "box2"] as const).map((each) => room.network.peer(each)),
  );
  assert(world && box1 && box2);
  for (const [host, port] of [
    ["10.77.9.2", 80],
    ["10.77.9.2", 443],
    ["10.77.9.3", 443],
    ["10.77.9.3", 80],
    ["fd77:9::2", 80],
  ])
    await world.ask("serveTcp", { host, port });
  const names = {
    "www.allowed.example": ["cdn.example"],
    "cdn.example": ["10.77.9.3"],
    "other.example": ["10.77.9.4"],
  };
  await world.ask("serveDns", { host: "10.77.9.2", port: 53, names });
  const dns = ["--allow", "10.77.9.2:53/udp"];
  await room.observe(
    "--sandbox",
    "one=cable1",
    ...dns,
    "--allow",
    "10.77.9.2/32:80",
    "--allow",
    "name:*.allowed.example:443",
  );
  const added = await room.order("add", "two=cable2", "--allow", "10.77.9.0/24:443/tcp", "--allow", "[fd77:9::]/64");
  assert.equal(added.code, 0, added.stderr);

  assert.equal(await reach(box1, "10.77.9.2", 80), "reached");
  await box1.ask("resolve", { host: "10.77.9.2", port: 53, name: "www.allowed.example" });
  // The first packet may come before the rule: it is sent again, and passes.
  assert.equal(await reach(box1, "10.77.9.3", 443), "reached");
  await box1.ask("resolve", { host: "10.77.9.2", port: 53, name: "other.example" });
  for (const [host, port] of [
    ["10.77.9.4", 443],
    ["10.77.9.3", 80],
  ] as const)
    await box1.ask("udp", { host, port, bytes: 10, count: 3 });
  for (const [host, port] of [
    ["10.77.9.2", 443],
    ["10.77.9.3", 443],
    ["fd77:9::2", 80],
  ] as const)
    assert.equal(await reach(box2, host, port), "reached", host);
  assert.equal(await reach(box2, "10.77.9.2", 80), "ECONNREFUSED");

  const one = await room.until("one", ({ flows }) => flows.length >= 6);
  assert.deepEqual(one.flows.map(brief).sort(), [
    "final tcp 10.77.9.2 80 allowed",
    "final tcp 10.77.9.3 443 allowed www.allowed.example",
    "final udp 10.77.9.2 53 allowed",
    "final udp 10.77.9.2 53 allowed",
    "final udp 10.77.9.3 80 blocked www.allowed.example",
    "final udp 10.77.9.4 443 blocked other.example",
  ]);
  assert.ok(one.flows.every(({ enforcement }) => enforcement === "enforced"));
  const two = await room.until("two", ({ flows }) => flows.length >= 4);
  assert.equal(two.flows.filter(({ verdict }) => verdict === "blocked").length, 1);
});

test("what isn't a rule or a target is refused before anything is changed", { skip }, async (t) => {
  const room = await EgressRoom.make(t);
  const codes: Record<string, readonly string[]> = {
    BAD_RULE: ["--sandbox", "one=cable1", "--allow", "example.org:443"],
    NO_SUCH_TARGET: ["--sandbox", "one=nowhere0"],
    BAD_SANDBOX: ["--sandbox", "a b=cable1"],
    TAKEN: ["--sandbox", "one=cable1", "--sandbox", "one=cable2"],
  };
  for (const [code, args] of Object.entries(codes)) {
    const { code: exit, stderr } = await room.order(...args);
    assert.equal(exit, 1);
    assert.match(stderr, new RegExp(code));
  }
  assert.equal(room.network.run("host", "nft list tables"), "");
});
