// A hub in a network of its own, beside a world of two machines: asks from inside a network for each address it is given, and
// prints what came back. Another machine answers "reached"; so does this one, if anyone gets to it.
import { createServer } from "node:http";
import { silentLog, systemClock } from "@countersign/core/base";
import { JailNetworks } from "../../src/network/jail-networks.ts";
import { ask, BWRAP, inside } from "./inside-network.ts";

const PORT = 8080;
const server = createServer((_request, response) => response.end("reached"));
await new Promise<void>((resolve) => server.listen(PORT, "::", resolve));
if (process.argv[2] === "world") console.log("ready");
else {
  const rooms = new JailNetworks({ bwrap: BWRAP, clock: systemClock, log: silentLog });
  const heard: Record<string, string[]> = {};
  for (const privateToo of [false, true]) {
    const network = await rooms.open({ hosts: "any", privateToo });
    for (const host of process.argv.slice(2))
      heard[host] = [...(heard[host] ?? []), await inside(network, ask(`GET http://${host}:${PORT}/ HTTP/1.1`))];
  }
  await rooms.close();
  server.close();
  console.log(JSON.stringify(heard));
}
