import type { Command } from "commander";
import { type Finish, subcommand } from "../base/index.ts";

/** `countersign pair`, `phone`. */
export function addPairing(program: Command, finish: Finish): void {
  const pair = subcommand(
    program,
    "pair",
    "Let a browser on this machine in: a link for it, and a number to compare",
    "countersign pair",
  );
  pair.action(async () => finish(await (await import("../commands/serving/pair.ts")).pair(pair.optsWithGlobals())));
  const phone = subcommand(
    program,
    "phone",
    "Let a phone in: a code to scan, where it can reach this hub, and else how it could",
    "countersign phone --lan 192.168.1.5",
  )
    .option("--address <https-url>", "keep it in config.json: an address that leads here already")
    .option("--lan <address>", "keep it in config.json: listen there too, with a certificate from a CA of our own");
  phone.action(async () => finish(await (await import("../commands/serving/phone.ts")).phone(phone.optsWithGlobals())));
}
