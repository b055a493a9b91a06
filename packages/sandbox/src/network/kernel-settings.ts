import { readFileSync, writeFileSync } from "node:fs";
import { EgressError } from "../errors/index.ts";

/** Of this network namespace. `events`: also for flows that begin while nobody listens, so that their ends are told to who comes later. */
const SETTINGS = { nf_conntrack_acct: "1", nf_conntrack_timestamp: "1", nf_conntrack_events: "1" };

/** Has conntrack count bytes, and write down when flows begin and end. It isn't taken back: others may rely on it by then. */
export function prepareConntrack(): void {
  for (const [name, value] of Object.entries(SETTINGS)) {
    const path = `/proc/sys/net/netfilter/${name}`;
    try {
      if (readFileSync(path, "utf8").trim() !== value) writeFileSync(path, value);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "ENOENT") throw new EgressError("NO_CONNTRACK", `${path} isn't there: load nf_conntrack`, { cause });
      throw new EgressError("NOT_PERMITTED", `${name} can't be set: ${code}`, { cause });
    }
  }
}
