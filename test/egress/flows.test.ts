import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, EgressRoom } from "./egress-room.ts";
import { type Network, whyNoNetwork } from "./network.ts";

const skip = whyNoNetwork() ?? false;

test("each flow is told once at its end, bound to its sandbox, with the bytes that were sent", { skip }, async (t) => {
  const room = await EgressRoom.make(t);
  const [world, box1, box2] = await Promise.all(
    (["world", "box1", "box2"] as const).map((each) => room.network.peer(each)),
  );
  assert(world && box1 && box2);
  await world.ask("serveUdp", { host: "10.77.9.2", port: 700 });
  await world.ask("serveUdp", { host: "fd77:9::2", port: 700 });
  await world.ask("serveTcp", { host: "10.77.9.2", port: 800 });
  await world.ask("serveTcp", { host: "10.77.9.3", port: 800 });
  await world.ask("serveTcp", { host: "fd77:9::2", port: 800 });
  await world.ask("serveDns", { host: "10.77.9.2", port: 53, names: { "files.example": ["10.77.9.3"] } });
  await room.observe("--sandbox", "one=cable1", "--sandbox", `two=netns:${room.network.namespace("box2")}`);

  const sent = countSent(room.network, "ip daddr 10.77.9.3 tcp dport 800");
  // The same ports of both: only the interface tells them apart.
  await box1.ask("udp", { host: "10.77.9.2", port: 700, bytes: 1_000, count: 3, localPort: 4_000 });
  await box2.ask("udp", { host: "10.77.9.2", port: 700, bytes: 50, localPort: 4_000 });
  await box1.ask("udp", { host: "fd77:9::2", port: 700, bytes: 100, count: 2 });
  await box1.ask("resolve", { host: "10.77.9.2", port: 53, name: "files.example" });
  await box1.ask("tcp", { host: "10.77.9.3", port: 800, bytes: 100_000, localPort: 4_001 });
  await box2.ask("tcp", { host: "10.77.9.2", port: 800, bytes: 5, localPort: 4_001 });
  await box1.ask("tcp", { host: "fd77:9::2", port: 800, bytes: 7 });
  await assert.rejects(box1.ask("tcp", { host: "10.77.9.2", port: 801 }), /ECONNREFUSED/);

  const one = await room.until("one", ({ flows }) => flows.length >= 6);
  const two = await room.until("two", ({ flows }) => flows.length >= 2);
  assert.deepEqual(one.flows.map(brief).sort(), [
    "final tcp 10.77.9.2 801 allowed",
    "final tcp 10.77.9.3 800 allowed files.example",
    "final tcp fd77:9::2 800 allowed",
    "final udp 10.77.9.2 53 allowed",
    "final udp 10.77.9.2 700 allowed",
    "final udp fd77:9::2 700 allowed",
  ]);
  assert.deepEqual(two.flows.map(brief).sort(), ["final tcp 10.77.9.2 800 allowed", "final udp 10.77.9.2 700 allowed"]);
  const bytes = (flows: typeof one.flows, address: string, port: number, protocol: string) =>
    flows.find((flow) => flow.dst_addr === address && flow.dst_port === port && flow.protocol === protocol)?.bytes_out;
  // 20 bytes of IPv4 or 40 of IPv6, and 8 of UDP, for each datagram.
  assert.equal(bytes(one.flows, "10.77.9.2", 700, "udp"), 3 * 1_028);
  assert.equal(bytes(one.flows, "fd77:9::2", 700, "udp"), 2 * 148);
  assert.equal(bytes(two.flows, "10.77.9.2", 700, "udp"), 78);
  assert.equal(bytes(one.flows, "10.77.9.3", 800, "tcp"), sent(), "whatever was sent again, and however it was cut");
  assert.ok(sent() > 100_000);
  for (const { started_at, ended_at = "", sandbox } of one.flows) {
    assert.ok(Date.parse(started_at) <= Date.parse(ended_at));
    assert.equal(sandbox, "one");
  }
  assert.deepEqual([one.dropped, one.gaps, two.dropped], [0, [], 0]);
});

/** By a rule inside the first sandbox, as its packets leave it. */
function countSent(network: Network, what: string): () => number {
  network.run(
    "box1",
    "nft add table inet sent && nft add chain inet sent out '{ type filter hook output priority 0 ; }'",
  );
  network.run("box1", `nft add rule inet sent out ${what} counter`);
  return () => Number(/counter packets \d+ bytes (\d+)/.exec(network.run("box1", "nft list chain inet sent out"))?.[1]);
}

test("a sandbox on a bridge is known by its own cable, whatever address it takes", { skip }, async (t) => {
  const room = await EgressRoom.make(t);
  const { network } = room;
  // Both cables become ports of one bridge, as a container runtime's are.
  network.run(
    "host",
    "ip link add br0 type bridge && ip link set br0 up && ip addr flush dev cable1 && ip addr flush dev cable2",
  );
  network.run("host", "ip link set cable1 master br0 && ip link set cable2 master br0");
  network.run("host", "ip addr add 10.77.1.1/24 dev br0 && ip addr add 10.77.2.1/24 dev br0");
  const [world, host, box1, box2] = await Promise.all(
    (["world", "host", "box1", "box2"] as const).map((each) => network.peer(each)),
  );
  assert(world && host && box1 && box2);
  await world.ask("serveUdp", { host: "10.77.9.2", port: 700 });
  await host.ask("serveTcp", { host: "0.0.0.0", port: 81 });
  await room.observe("--sandbox", "one=cable1", "--sandbox", `two=netns:${network.namespace("box2")}`);
  await box1.ask("udp", { host: "10.77.9.2", port: 700, bytes: 1 });
  await box2.ask("udp", { host: "10.77.9.2", port: 701, bytes: 1 });
  network.run("box2", "ip addr add 10.77.1.77/24 dev eth0 && ip route replace default via 10.77.1.1 src 10.77.1.77");
  await box2.ask("udp", { host: "10.77.9.2", port: 702, bytes: 1 });
  await assert.rejects(box1.ask("tcp", { host: "10.77.1.1", port: 81 }), /ECONNREFUSED/);
  const one = await room.until("one", ({ flows }) => flows.length >= 2);
  assert.deepEqual(one.flows.map(brief).sort(), ["final tcp 10.77.1.1 81 blocked", "final udp 10.77.9.2 700 allowed"]);
  const two = await room.until("two", ({ flows }) => flows.length >= 2);
  assert.deepEqual(two.flows.map(brief).sort(), ["final udp 10.77.9.2 701 allowed", "final udp 10.77.9.2 702 allowed"]);
  assert.equal((await room.order("remove", "two")).code, 0);
  assert.doesNotMatch(network.run("host", "nft list table netdev countersign_egress"), /cable2/);
});

test("what conntrack can't follow would leave without a record: it is blocked, and told", { skip }, async (t) => {
  const room = await EgressRoom.make(t);
  const { network } = room;
  const [world, box] = [await network.peer("world"), await network.peer("box1")];
  await world.ask("serveUdp", { host: "10.77.9.2", port: 700 });
  // Nothing that goes there is followed.
  network.run("host", "nft add table ip t && nft add chain ip t c '{ type filter hook prerouting priority raw ; }'");
  network.run("host", "nft add rule ip t c ip daddr 10.77.9.3 notrack");
  await room.observe("--sandbox", "one=cable1");
  await box.ask("udp", { host: "10.77.9.2", port: 700, bytes: 1 });
  await box.ask("udp", { host: "10.77.9.3", port: 700, bytes: 1 });
  const { flows } = await room.until("one", (now) => now.flows.length >= 2);
  assert.deepEqual(flows.map(brief).sort(), ["final udp 10.77.9.2 700 allowed", "final udp 10.77.9.3 700 blocked"]);
});
