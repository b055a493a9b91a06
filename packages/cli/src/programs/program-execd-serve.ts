import type { Command } from "commander";
import { type Finish, gather, logLevelOption, subcommand } from "../base/index.ts";
import { addressOption } from "./program-execd-relay.ts";

/** `countersign execd serve`. */
export function addExecdServe(execd: Command, finish: Finish): void {
  const serve = subcommand(
    execd,
    "serve",
    "Run an execd on this machine, for development",
    "countersign execd serve --workspace ./work --token-file token.txt",
  )
    .addOption(addressOption("--listen <address>", "address to listen on; port 0 for a free one", 44_772))
    .option("--token-file <file>", "require the token in this file (default: none)")
    .option("--workspace <directory>", "the only directory that its commands can change (default: this one)")
    .option("--network", "allow commands to reach other hosts, but not this machine")
    .option("--allow-bind <directory>", "let isolated sessions mount it or a path below it; repeatable", gather, [])
    .option("--no-jail", "run commands without a jail, as this user")
    .addOption(logLevelOption());
  serve.action(async () => finish(await (await import("../execd/serve.ts")).serve(serve.optsWithGlobals())));
}
