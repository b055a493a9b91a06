import { type Command, InvalidArgumentError } from "commander";
import { type Finish, subcommand } from "../base/index.ts";
import { addressOption } from "./program-execd-relay.ts";

/** `countersign execd proxy`. */
export function addExecdProxy(execd: Command, finish: Finish): void {
  const proxy = subcommand(
    execd,
    "proxy",
    "Proxy execd inside a sandbox and record every call",
    "countersign execd proxy --relay https://10.0.0.1:44780 --bundle /run/countersign/sandbox.pem",
  )
    .addOption(addressOption("--listen <address>", "address for agents", 44_771, "0.0.0.0"))
    .option("--execd <url>", "execd's address", "http://127.0.0.1:44772")
    .requiredOption("--relay <url>", "the relay's address, https://host:port")
    .requiredOption("--bundle <file>", "this sandbox's key and certificate, from `countersign execd ca issue`")
    .option("--sandbox-id <id>", "this sandbox's id, as in its certificate (default: $OPENSANDBOX_ID)")
    .option(
      "--state <directory>",
      "directory for queued frames and counts (default: execd-proxy in the data directory)",
    )
    .option("--opensandbox-version <version>", "version for receipts (default: $OPENSANDBOX_VERSION)")
    .option("--execd-token-file <file>", "token for execd that agents don't have; requires --agent-token-file")
    .option("--agent-token-file <file>", "token that agents send instead, in the same header")
    .option("--gate <url>", "hub to ask before commands, code, file changes and terminals")
    .option("--gate-token-file <file>", "agent token for --gate")
    .option("--gate-ca <file>", "CA certificate of --gate (PEM), if it is the hub's own")
    .option("--gate-wait <seconds>", "how long a call waits for an answer (default: 600)", toCount)
    .option("--gate-terminal <minutes>", "how long an approved terminal lasts (default: 15)", toCount);
  proxy.action(async () => finish(await (await import("../execd/proxy.ts")).proxy(proxy.optsWithGlobals())));
}

/** At most a day, in either. */
function toCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= 1_440) return count;
  throw new InvalidArgumentError("Give a number from 1 to 1440.");
}
