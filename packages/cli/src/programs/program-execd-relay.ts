import type { Address } from "@countersign/sandbox";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Finish, gather, logLevelOption, subcommand } from "../base/index.ts";

/** `countersign execd relay`. */
export function addRelay(execd: Command, finish: Finish): void {
  const relay = withCa(
    subcommand(
      execd,
      "relay",
      "Forward frames from sandboxes' proxies to the recorder",
      "countersign execd relay --listen 10.0.0.1:44780 --recorder /run/countersign/recorder.sock",
    ),
  )
    .addOption(addressOption("--listen <address>", "address for sandboxes", 44_780))
    .addOption(addressOption("--health <address>", "address for /healthz and /metrics", 44_781))
    .option("--bundle <file>", "the relay's key and certificate (default: relay.pem next to the CA)")
    .option("--crl <file>", "certificate revocation list (default: crl.pem next to the CA)")
    .option("--recorder <socket>", "the recorder's socket (default: run/recorder.sock in the data directory)")
    .option("--spool <directory>", "directory for queued frames (default: execd-spool in the data directory)")
    .addOption(logLevelOption());
  relay.action(async () => finish(await (await import("../execd/relay.ts")).relay(relay.optsWithGlobals())));
}

/** `countersign execd ca …`. */
export function addCa(execd: Command, finish: Finish): void {
  const ca = subcommand(
    execd,
    "ca",
    "Issue and revoke sandboxes' certificates",
    "countersign execd ca issue sbx-7f3a --out sbx-7f3a.pem",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  const init = withCa(subcommand(ca, "init", "Create a CA", "countersign execd ca init")).option(
    "--crl <file>",
    "certificate revocation list, if the relay runs as another user (default: crl.pem next to the CA)",
  );
  init.action(async () => finish(await (await import("../execd/ca.ts")).init(init.optsWithGlobals())));
  const issue = withCa(
    subcommand(
      ca,
      "issue",
      "Write a key and certificate for a sandbox or the relay",
      "countersign execd ca issue sbx-7f3a --for 12h",
    ),
  )
    .argument("[sandbox-id]", "the sandbox's OPENSANDBOX_ID")
    .option("--relay", "issue it for the relay")
    .option("--host <name>", "name or address of the relay; repeatable", gather)
    .option("--out <file>", "file to write (default: next to the CA, named after the sandbox)")
    .option("--for <span>", "validity: 12h, 7d (default: 1 day; relay: 397 days)")
    .option("--renew", "replace a certificate that is still valid");
  issue.action(async (id: string | undefined) =>
    finish(await (await import("../execd/ca.ts")).issue(id, issue.optsWithGlobals())),
  );
  const revoke = withCa(
    subcommand(
      ca,
      "revoke",
      "Revoke a sandbox's certificates, or one by serial number",
      "countersign execd ca revoke sbx-7f3a",
    ),
  ).argument("<sandbox-id or serial>");
  revoke.action(async (which: string) =>
    finish(await (await import("../execd/ca.ts")).revoke(which, revoke.optsWithGlobals())),
  );
  const list = withCa(subcommand(ca, "list", "List issued certificates", "countersign execd ca list"));
  list.action(async () => finish(await (await import("../execd/ca.ts")).list(list.optsWithGlobals())));
}

function withCa(command: Command): Command {
  return command.option("--ca <directory>", "the CA's directory (default: execd-ca in the data directory)");
}

export function addressOption(flags: string, what: string, port: number, host = "127.0.0.1"): Option {
  return new Option(flags, what).argParser(toAddress).default({ host, port }, `${host}:${port}`);
}

/** `host:port`, an IPv6 address in brackets. */
export function toAddress(text: string): Address {
  const found = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  if (!found || port > 65_535) throw new InvalidArgumentError("An address is host:port; 0 takes a free port.");
  return { host: found[1] ?? found[2] ?? "", port };
}
