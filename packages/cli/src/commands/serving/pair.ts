import type { GlobalOptions } from "../../base/settings.ts";
import { findHub } from "../../connect/find-hub.ts";
import { hubDesk } from "../../pair/hub-desk.ts";
import { linkLines } from "../../pair/pair-while-serving.ts";
import { runPairing } from "../../pair/run-pairing.ts";

/** `countersign pair`: lets a browser of this machine in, where no `serve` stands in a terminal. */
export async function pair(options: GlobalOptions): Promise<number> {
  const hub = await findHub(options);
  return await runPairing(hubDesk(hub, options), (code) => linkLines(hub.url, code));
}
