import type { GlobalOptions } from "../../base/index.ts";
import { findHub } from "../../connect/index.ts";
import { linkLines, remotePairing, runPairing } from "../../pair/index.ts";

/** `countersign pair`: lets a browser of this machine in, where no `serve` stands in a terminal. */
export async function pair(options: GlobalOptions): Promise<number> {
  const hub = await findHub(options);
  return await runPairing(remotePairing(hub, options), (code) => linkLines(hub.url, code));
}
