import { type Command, InvalidArgumentError, Option } from "commander";
import { type Finish, gather, logLevelOption, subcommand } from "../base/index.ts";
import { toAddress } from "./program-execd-relay.ts";

/** `countersign execd egress …`. */
export function addExecdEgress(execd: Command, finish: Finish): void {
  const egress = withRules(
    subcommand(
      execd,
      "egress",
      "Record and filter sandboxes' network traffic from the host",
      "countersign execd egress --sandbox sbx-7f3a=veth7f3a --relay 10.0.0.1:44780",
    ),
  )
    .option("--sandbox <id=where>", "a sandbox's id and its veth, network namespace or addresses; repeatable", gather)
    .addOption(new Option("--relay <address>", "the relay's address; every sandbox may reach it").argParser(toAddress))
    .option("--recorder <socket>", "the recorder's socket (default: run/recorder.sock in the data directory)")
    .option(
      "--state <directory>",
      "directory for queued frames and counts (default: execd-egress in the data directory)",
    )
    .option("--interim <seconds>", "how often to report a flow that stays open (default: 60)", toSeconds)
    .option("--sweep <seconds>", "how often to check flows and counters (default: 10)", toSeconds)
    .option("--log-group <number>", "netfilter log group of our rules (default: 4477)", toGroup)
    .option("--remove-rules", "remove the rules at exit (default: they stay in force)")
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
        "Add a sandbox to the running observer",
        "countersign execd egress add sbx-7f3a=veth7f3a",
      ),
    ),
  ).argument("<id=where>");
  add.action(async (what: string) => finish(await (await egressCommands()).add(what, add.opts())));
  const remove = withSocket(
    subcommand(
      egress,
      "remove",
      "Report a sandbox's open flows and stop observing it",
      "countersign execd egress remove sbx-7f3a",
    ),
  ).argument("<sandbox-id>");
  remove.action(async (id: string) => finish(await (await egressCommands()).remove(id, remove.opts())));
  const list = withSocket(subcommand(egress, "list", "List the observed sandboxes", "countersign execd egress list"));
  list.action(async () => finish(await (await egressCommands()).list(list.opts())));
  const clear = subcommand(
    egress,
    "clear",
    "Remove the rules that an observer left in force",
    "countersign execd egress clear",
  ).option("--state <directory>", "the observer's state directory (default: execd-egress in the data directory)");
  clear.action(async () => finish(await (await egressCommands()).clear(clear.opts())));
}

const egressCommands = () => import("../execd/egress.ts");

function withSocket(command: Command): Command {
  return command.option(
    "--socket <path>",
    "the observer's control socket (default: run/egress.sock in the data directory)",
  );
}

function withRules(command: Command): Command {
  return command
    .option(
      "--allow <rule>",
      "allow only these destinations: 10.0.0.0/8:443, any:53/udp, name:example.org:443; repeatable",
      gather,
    )
    .option(
      "--open <rule>",
      "unblock a default: host:53/udp for the host's own services, 169.254.169.254:80; repeatable",
      gather,
    )
    .option("--policy <file>", 'read both from a JSON file: {"allow": […], "open": […]}');
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,5}$/.test(text) && seconds >= 1 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("Give a number from 1 to 86400.");
}

function toGroup(text: string): number {
  const group = Number(text);
  if (/^\d{1,5}$/.test(text) && group <= 65_535) return group;
  throw new InvalidArgumentError("Give a number from 0 to 65535.");
}
