import type { Command } from "commander";
import { type Finish, subcommand } from "../base/index.ts";

/** `countersign pair`, `phone`. */
export function addPairing(program: Command, finish: Finish): void {
  const pair = subcommand(program, "pair", "Pair a browser on this machine", "countersign pair");
  pair.action(async () => finish(await (await import("../commands/serving/pair.ts")).pair(pair.optsWithGlobals())));
  const phone = subcommand(
    program,
    "phone",
    "Pair a phone, or show how it can reach this hub",
    "countersign phone --lan 192.168.1.5",
  )
    .option("--address <https-url>", "save an HTTPS address that already reaches this hub")
    .option("--lan <address>", "save a network address to listen on, over HTTPS with Countersign's own CA");
  phone.action(async () => finish(await (await import("../commands/serving/phone.ts")).phone(phone.optsWithGlobals())));
}
