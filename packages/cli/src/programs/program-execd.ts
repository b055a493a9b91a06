import type { Command } from "commander";
import { type Finish, subcommand } from "../base/index.ts";
import { addExecdEgress } from "./program-execd-egress.ts";
import { addExecdProxy } from "./program-execd-proxy.ts";
import { addCa, addRelay } from "./program-execd-relay.ts";
import { addExecdServe } from "./program-execd-serve.ts";

/** `countersign execd …`: the sandbox's side. */
export function addExecd(program: Command, finish: Finish): void {
  const execd = subcommand(
    program,
    "execd",
    "Record what agents do in OpenSandbox sandboxes",
    "countersign execd ca init",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  addExecdProxy(execd, finish);
  addRelay(execd, finish);
  addCa(execd, finish);
  addExecdEgress(execd, finish);
  addExecdServe(execd, finish);
}
