// Opens network networks as whoever runs it, tries from inside what must work and what mustn't, and prints what happened.
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { silentLog, systemClock } from "@countersign/core/base";
import type { Dialer } from "@countersign/core/network";
import { JailNetworks } from "../../src/network/jail-networks.ts";
import { ask, BWRAP, inside } from "./inside-network.ts";

const MOUNT_ROOT = 20;

async function listenOn(server: ReturnType<typeof createServer>, where: number | string): Promise<number> {
  await new Promise<void>((resolve) => {
    if (typeof where === "string") server.listen(where, resolve);
    else server.listen(where, "127.0.0.1", resolve);
  });
  return typeof where === "string" ? 0 : (server.address() as AddressInfo).port;
}

/** Open sockets and namespaces of this process. */
const descriptors = () =>
  readdirSync("/proc/self/fd").filter((fd) => linksTo(`/proc/self/fd/${fd}`, /^(net|user|socket):/)).length;
/** Processes in any of the networks. */
const processesInside = () => readdirSync("/proc").filter(isInside).length;

function isInside(pid: string): boolean {
  return made.some((inode) => linksTo(`/proc/${pid}/ns/net`, new RegExp(`^net:\\[${inode}\\]$`)));
}

function linksTo(path: string, target: RegExp): boolean {
  try {
    return target.test(readlinkSync(path));
  } catch {
    return false;
  }
}

const made: number[] = [];

async function until(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

// A world in which every name is one server, which answers with the name. The host has a loopback and an abstract socket.
const world = createHttpServer((request, response) => response.end(`this is ${request.headers.host}`));
const worldPort = await listenOn(world, 0);
const dialer: Dialer = {
  resolve: async () => ["192.0.2.1"],
  ownAddresses: () => [],
  routeTo: async () => "elsewhere",
  connect: () => connect({ host: "127.0.0.1", port: worldPort, allowHalfOpen: true }),
};
const abstract = `\0countersign-${process.pid}`;
const neighbour = createServer((socket) => socket.end("reached"));
await listenOn(neighbour, abstract);

const before = descriptors();
const rooms = new JailNetworks({ bwrap: BWRAP, clock: systemClock, log: silentLog, dialer });
const open = async (host: string) => {
  const network = await rooms.open({ hosts: [host], privateToo: false });
  made.push(statSync(network.namespaces.net).ino);
  return network;
};
const network = await open("a.example");
const said = {
  allowed: await inside(network, ask("GET http://a.example/ HTTP/1.1")),
  other: await inside(network, ask("GET http://b.example/ HTTP/1.1")),
  hostLoopback: await inside(network, `exec 3<>/dev/tcp/127.0.0.1/${worldPort} && echo reached`),
  hostLoopbackThroughProxy: await inside(network, ask(`CONNECT 127.0.0.1:${worldPort} HTTP/1.1`)),
  world: await inside(network, "exec 3<>/dev/tcp/192.0.2.1/80 && echo reached"),
  abstract: await inside(
    network,
    `"$NODE" -e 'net.connect("\\0${abstract.slice(1)}").on("data", (d) => console.log(\`\${d}\`)).on("error", (e) => console.log(e.code))'`,
  ),
  interfaces: await inside(network, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"),
  rights: await inside(network, "grep -E 'Cap(Prm|Eff|Bnd|Amb)' /proc/self/status | cut -f2 | sort -u"),
  namespacesHeld: await inside(network, "readlink /proc/$$/fd/* | grep -E '^(net|user|mnt):'"),
  refused: network.refused().map((line) => line.replace(`:${worldPort}`, ":PORT")),
  traffic: network.traffic().receivedBytes > 0 && network.traffic().sentBytes > 0,
};
// Somebody inside outlives the network: what was connected is cut, and nobody answers any more.
const again = "exec 4<>/dev/tcp/127.0.0.1/3128 && echo reached";
const outliving = await inside(network, `exec 3<>/dev/tcp/127.0.0.1/3128; echo ready; cat <&3; ${again}`, () =>
  network.close(),
);

const many = await Promise.all(Array.from({ length: MOUNT_ROOT }, (_, n) => open(`r${n}.example`)));
const own = await Promise.all(many.map((each, n) => inside(each, ask(`GET http://r${n}.example/ HTTP/1.1`))));
const others = await Promise.all(many.map((each, n) => inside(each, ask(`GET http://r${n + 1}.example/ HTTP/1.1`))));
const sizes = {
  namespaces: new Set(made.slice(-MOUNT_ROOT)).size,
  own: own.filter((text, n) => text === `this is r${n}.example`).length,
  others: others.filter((text) => text.startsWith("Refused by the jail")).length,
};

await rooms.close();
const late = await rooms.open({ hosts: "any", privateToo: false }).then(
  () => "opened",
  (cause: { code: string }) => cause.code,
);
const clean = await until(() => descriptors() === before && processesInside() === 0);
world.close();
neighbour.close();
console.log(
  JSON.stringify({
    said,
    outliving,
    sizes,
    late,
    clean: clean || { before, now: descriptors(), processes: processesInside() },
  }),
);
