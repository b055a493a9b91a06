import type { Command } from "commander";
import { type Finish, gather, logLevelOption, subcommand } from "../base/index.ts";
import { addressOption } from "./program-execd-relay.ts";

/** `countersign execd serve`. */
export function addExecdServe(execd: Command, finish: Finish): void {
  const serve = subcommand(
    execd,
    "serve",
    "An execd on this machine, for development and tests without OpenSandbox; stays until it is ended",
    "countersign execd serve --workspace ./work --token-file token.txt",
  )
    .addOption(addressOption("--listen <address>", "where it answers; port 0 takes a free one", 44_772))
    .option("--token-file <file>", "ask for the token that is in this file (default: none is asked for)")
    .option("--workspace <directory>", "where everything starts, and all of yours that it can change (default: here)")
    .option("--network", "let what it runs reach hosts elsewhere; never this machine")
    .option(
      "--allow-bind <directory>",
      "let isolated sessions bind it, or what is in it, besides the workspace; repeatable",
      gather,
      [],
    )
    .option("--no-jail", "run what it is asked for as this user, with all that this user may do")
    .addOption(logLevelOption());
  serve.action(async () => finish(await (await import("../execd/serve.ts")).serve(serve.optsWithGlobals())));
}
