import type { Address } from "@countersign/sandbox";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Finish, gather, logLevelOption, subcommand } from "../base/index.ts";

/** `countersign execd relay`. */
export function addRelay(execd: Command, finish: Finish): void {
  const relay = withCa(
    subcommand(
      execd,
      "relay",
      "Take frames from sandboxes' proxies, each known by its certificate, to the recorder's socket",
      "countersign execd relay --listen 10.0.0.1:44780 --recorder /run/countersign/recorder.sock",
    ),
  )
    .addOption(addressOption("--listen <address>", "where sandboxes come in", 44_780))
    .addOption(addressOption("--health <address>", "where /healthz and /metrics are", 44_781))
    .option("--bundle <file>", "its own key and certificate (default: relay.pem beside the CA)")
    .option("--crl <file>", "the list of what is revoked (default: crl.pem beside the CA)")
    .option("--recorder <socket>", "the recorder's socket (default: run/recorder.sock in the home)")
    .option("--spool <directory>", "where frames wait while the recorder is away (default: execd-spool in the home)")
    .addOption(logLevelOption());
  relay.action(async () => finish(await (await import("../execd/relay.ts")).relay(relay.optsWithGlobals())));
}

/** `countersign execd ca …`. */
export function addCa(execd: Command, finish: Finish): void {
  const ca = subcommand(
    execd,
    "ca",
    "Issue and revoke the certificates that sandboxes show to the relay",
    "countersign execd ca issue sbx-7f3a --out sbx-7f3a.pem",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  const init = withCa(subcommand(ca, "init", "Make a CA", "countersign execd ca init")).option(
    "--crl <file>",
    "where the list of what is revoked goes, for a relay of another user (default: crl.pem beside the CA)",
  );
  init.action(async () => finish(await (await import("../execd/ca.ts")).init(init.optsWithGlobals())));
  const issue = withCa(
    subcommand(
      ca,
      "issue",
      "Write a key and a certificate, in one file to mount, for one instance of a sandbox, or for the relay",
      "countersign execd ca issue sbx-7f3a --for 12h",
    ),
  )
    .argument("[sandbox-id]", "as OPENSANDBOX_ID has it in the sandbox")
    .option("--relay", "for the relay")
    .option("--host <name>", "a name or address by which sandboxes reach the relay; may be given several times", gather)
    .option("--out <file>", "where to write it (default: beside the CA, by its name)")
    .option("--for <span>", "how long it is good: 12h, 7d (default: a day; the relay's, 397 days)")
    .option("--renew", "another for one that is still good, over its file");
  issue.action(async (id: string | undefined) =>
    finish(await (await import("../execd/ca.ts")).issue(id, issue.optsWithGlobals())),
  );
  const revoke = withCa(
    subcommand(
      ca,
      "revoke",
      "Revoke a sandbox's certificates, or one by its serial",
      "countersign execd ca revoke sbx-7f3a",
    ),
  ).argument("<sandbox-id or serial>");
  revoke.action(async (which: string) =>
    finish(await (await import("../execd/ca.ts")).revoke(which, revoke.optsWithGlobals())),
  );
  const list = withCa(subcommand(ca, "list", "List what was issued", "countersign execd ca list"));
  list.action(async () => finish(await (await import("../execd/ca.ts")).list(list.optsWithGlobals())));
}

function withCa(command: Command): Command {
  return command.option("--ca <directory>", "where the CA is (default: execd-ca in the home)");
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
