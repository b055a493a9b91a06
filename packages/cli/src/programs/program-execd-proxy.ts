import { type Command, InvalidArgumentError } from "commander";
import { type Finish, subcommand } from "../base/index.ts";
import { addressOption } from "./program-execd-relay.ts";

/** `countersign execd proxy`. */
export function addExecdProxy(execd: Command, finish: Finish): void {
  const proxy = subcommand(
    execd,
    "proxy",
    "Stand before execd inside a sandbox, pass everything on, and tell the relay what was done; stays until it is ended",
    "countersign execd proxy --relay https://10.0.0.1:44780 --bundle /run/countersign/sandbox.pem",
  )
    .addOption(addressOption("--listen <address>", "where agents come in", 44_771, "0.0.0.0"))
    .option("--execd <url>", "the execd behind it", "http://127.0.0.1:44772")
    .requiredOption("--relay <url>", "the relay outside, as https://host:port")
    .requiredOption("--bundle <file>", "the key and certificate of this sandbox, from `countersign execd ca issue`")
    .option("--sandbox-id <id>", "this sandbox, as in its certificate (default: $OPENSANDBOX_ID)")
    .option("--state <directory>", "where frames wait and drops are counted (default: execd-proxy in the home)")
    .option("--opensandbox-version <version>", "told on every receipt (default: $OPENSANDBOX_VERSION)")
    .option("--execd-token-file <file>", "a token for execd that agents don't have; with --agent-token-file")
    .option("--agent-token-file <file>", "what agents show instead, in the same header")
    .option("--gate <url>", "the hub to ask before commands, code, changes of files and terminals pass")
    .option("--gate-token-file <file>", "an agent's token for it")
    .option("--gate-ca <file>", "the CA of its certificate, PEM, where that is the hub's own")
    .option("--gate-wait <seconds>", "how long a call may wait for an answer (default: 600)", toCount)
    .option("--gate-terminal <minutes>", "how long a terminal is given for (default: 15)", toCount);
  proxy.action(async () => finish(await (await import("../execd/proxy.ts")).proxy(proxy.optsWithGlobals())));
}

/** At most a day, in either. */
function toCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= 1_440) return count;
  throw new InvalidArgumentError("It is a number from 1 to 1440.");
}
