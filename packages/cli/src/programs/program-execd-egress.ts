import { type Command, InvalidArgumentError, Option } from "commander";
import { type Finish, gather, logLevelOption, subcommand } from "../base/index.ts";
import { toAddress } from "./program-execd-relay.ts";

/** `countersign execd egress …`. */
export function addExecdEgress(execd: Command, finish: Finish): void {
  const egress = withRules(
    subcommand(
      execd,
      "egress",
      "Observe from outside what leaves sandboxes' networks, block what isn't allowed, and tell the recorder; stays until it is ended",
      "countersign execd egress --sandbox sbx-7f3a=veth7f3a --relay 10.0.0.1:44780",
    ),
  )
    .option(
      "--sandbox <id=where>",
      "a sandbox, and its veth here, its network namespace, or its addresses; may be given several times",
      gather,
    )
    .addOption(
      new Option("--relay <address>", "where sandboxes' proxies deliver to: opened to all").argParser(toAddress),
    )
    .option("--recorder <socket>", "the recorder's socket (default: run/recorder.sock in the home)")
    .option("--state <directory>", "where frames wait and flows are counted (default: execd-egress in the home)")
    .option("--interim <seconds>", "how often flows that last are told (default: 60)", toSeconds)
    .option("--sweep <seconds>", "how often flows and counts are looked through (default: 10)", toSeconds)
    .option("--log-group <number>", "netfilter's log group for our rules (default: 4477)", toGroup)
    .option("--remove-rules", "take the rules away when it ends; else they stay in force")
    .addOption(logLevelOption());
  withSocket(egress).action(async () => finish(await (await egressCommands()).egress(egress.optsWithGlobals())));
  addOrders(egress, finish);
}

function addOrders(egress: Command, finish: Finish): void {
  const add = withSocket(
    withRules(
      subcommand(
        egress,
        "add",
        "Have an observer that runs look at another sandbox",
        "countersign execd egress add sbx-7f3a=veth7f3a",
      ),
    ),
  ).argument("<id=where>");
  add.action(async (what: string) => finish(await (await egressCommands()).add(what, add.opts())));
  const remove = withSocket(
    subcommand(
      egress,
      "remove",
      "End a sandbox's flows, tell them, and look at it no longer",
      "countersign execd egress remove sbx-7f3a",
    ),
  ).argument("<sandbox-id>");
  remove.action(async (id: string) => finish(await (await egressCommands()).remove(id, remove.opts())));
  const list = withSocket(
    subcommand(egress, "list", "List the sandboxes that are observed", "countersign execd egress list"),
  );
  list.action(async () => finish(await (await egressCommands()).list(list.opts())));
  const clear = subcommand(
    egress,
    "clear",
    "Take away the rules that an observer left in force when it ended",
    "countersign execd egress clear",
  ).option("--state <directory>", "the observer's (default: execd-egress in the home)");
  clear.action(async () => finish(await (await egressCommands()).clear(clear.opts())));
}

const egressCommands = () => import("../execd/egress.ts");

function withSocket(command: Command): Command {
  return command.option("--socket <path>", "where an observer takes orders (default: run/egress.sock in the home)");
}

function withRules(command: Command): Command {
  return command
    .option(
      "--allow <rule>",
      "only this and what else is allowed may be reached: 10.0.0.0/8:443, any:53/udp, name:example.org:443; may be given several times",
      gather,
    )
    .option(
      "--open <rule>",
      "of what is blocked by default: host:53/udp for the host's own services, 169.254.169.254:80; may be given several times",
      gather,
    )
    .option("--policy <file>", 'both, as JSON: {"allow": […], "open": […]}');
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,5}$/.test(text) && seconds >= 1 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("It is a number from 1 to 86400.");
}

function toGroup(text: string): number {
  const group = Number(text);
  if (/^\d{1,5}$/.test(text) && group <= 65_535) return group;
  throw new InvalidArgumentError("It is a number from 0 to 65535.");
}
