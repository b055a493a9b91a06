// Emits frames as a proxy would, from a process that can be killed. Before and after each it tells its number; the last line is `drained` and the
// delivery's state. A process that takes the place of a killed one goes on with the number that it is given.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryLimits } from "../src/delivery/limits.ts";
import { openDelivery } from "../src/index.ts";
import { frameOf, SILENT } from "./relay-here.ts";

interface Order {
  readonly relay: string;
  readonly bundle: string;
  readonly sandboxId: string;
  readonly state: string;
  readonly from: number;
  readonly to: number;
  readonly everyMs: number;
  readonly drainMs: number;
  readonly limits: Partial<DeliveryLimits>;
}

const order = JSON.parse(process.argv[2] ?? "") as Order;
const { sandboxId, bundle, state, limits } = order;
const delivery = await openDelivery({ relay: new URL(order.relay), bundle, sandboxId, state, log: SILENT, limits });
for (let n = order.from; n < order.to; n += 1) {
  writeSync(1, `before ${n}\n`);
  delivery.emit(frameOf(sandboxId, n));
  writeSync(1, `after ${n}\n`);
  if (order.everyMs > 0) await sleep(order.everyMs);
}
await delivery.drain(order.drainMs);
writeSync(1, `drained ${JSON.stringify(delivery.state)}\n`);
