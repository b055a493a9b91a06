// `npm run bench:egress`: what observing a sandbox's network costs, and whether every flow of a burst is on record, as a receipt or in a count of
// drops. Root, in network namespaces of its own; the observer and the recorder are processes as in use.
import { join } from "node:path";
import { EgressRoom } from "../test/egress/egress-room.ts";
import { Network, whyNoNetwork } from "../test/egress/network.ts";
import { Figures } from "./figures.ts";
import { median } from "./rounds.ts";

const FLOWS = 10_000;
const IN_S = 10;
/** Short and many, in turn: whatever else the machine does falls on both. */
const ROUNDS = 80;
const ROUND_MS = 250;

const why = whyNoNetwork();
if (why !== undefined) {
  console.log(`not measured: ${why}`);
  process.exit(1);
}
const ends: (() => unknown)[] = [];
const cleaner = { after: (fn: () => unknown) => void ends.unshift(fn) };
const room = await EgressRoom.make(cleaner);
const figures = new Figures();
try {
  await measureThroughput();
  await measureFlows();

  /** Networks that are the same but for the observer. Two have none: how far they differ is what the machine makes of the same. */
  async function measureThroughput(): Promise<void> {
    const observer = await room.observe("--sandbox", "one=cable1", "--sweep", "10");
    const networks = [room.network, new Network(cleaner), new Network(cleaner)];
    const blasters = [];
    for (const network of networks) blasters.push({ blast: await blaster(network), speeds: [] as number[] });
    for (let round = 0; round < ROUNDS; round += 1) {
      const turn = round % blasters.length;
      for (const each of [...blasters.slice(turn), ...blasters.slice(0, turn)]) each.speeds.push(await each.blast());
    }
    await observer.stop();
    const [observed = [], ...others] = blasters.map(({ speeds }) => speeds);
    const [speed, plain] = [median(observed), median(others.flat())];
    const told = [speed, ...others.map(median)].map((each) => `${(each / 1_000_000).toFixed(0)} MB/s`);
    console.log(`throughput: ${told[0]} observed, ${told[1]} and ${told[2]} not (medians of ${ROUNDS}, in turn)`);
    figures.atLeast("throughput of an observed cable", (100 * speed) / plain, 95, "% of one that isn't");
  }

  async function blaster(network: Network): Promise<() => Promise<number>> {
    const [world, box] = [await network.peer("world"), await network.peer("box1")];
    await world.ask("serveTcp", { host: "10.77.9.2", port: 81 });
    const blast = () => box.ask<number>("blast", { host: "10.77.9.2", port: 81, forMs: ROUND_MS });
    await blast();
    return blast;
  }

  async function measureFlows(): Promise<void> {
    const [world, box] = [await room.network.peer("world"), await room.network.peer("box1")];
    await world.ask("serveTcp", { host: "10.77.9.2", port: 80 });
    await room.order("clear");
    await room.observe("--sandbox", "many=cable1", "--state", join(room.place.workspace, "state"));
    const ask = { host: "10.77.9.2", port: 80, count: FLOWS, at_once: 64, perSecond: FLOWS / IN_S };
    const tookMs = await box.ask<number>("many", ask);
    const counted = room.counted();
    const { flows, dropped } = await room.until("many", (now) => now.flows.length + now.dropped >= FLOWS);
    console.log(`${FLOWS} flows in ${(tookMs / 1_000).toFixed(1)} s: ${flows.length} receipts, ${dropped} dropped`);
    figures.exactly("flows that the kernel counted", counted, FLOWS, "flows");
    figures.exactly("receipts and drops", flows.length + dropped, FLOWS, "flows");
    figures.exactly(
      "flows by their correlators",
      new Set(flows.map(({ correlation }) => correlation)).size,
      flows.length,
      "flows",
    );
  }
} finally {
  for (const end of ends) await end();
}
figures.close();
