import { type Command, InvalidArgumentError } from "commander";
import { type Finish, logLevelOption, subcommand } from "../base/index.ts";

/** `countersign recorder …`. */
export function addRecorder(program: Command, finish: Finish): void {
  const recorder = subcommand(
    program,
    "recorder",
    "Keep the signing key and ledger in a separate process",
    "countersign recorder --home /var/lib/countersign-recorder",
  )
    .usage("[options] [command]")
    .helpCommand(false)
    .option(
      "--socket <path>",
      "socket that receives emitters' frames (default: run/recorder.sock in the data directory)",
    )
    .addOption(logLevelOption());
  recorder.action(async () =>
    finish(await (await import("../commands/serving/recorder.ts")).recorder(recorder.optsWithGlobals())),
  );
  const pair = subcommand(
    recorder,
    "pair",
    "Print a secret line with which one hub can join",
    "countersign recorder pair --home /var/lib/countersign-recorder --hub-user ann --hub-socket /run/countersign/hub.sock",
  )
    .option("--hub-user <user>", "user that the hub runs as, name or number (default: the same user)", toUser)
    .option("--hub-socket <path>", "socket for the hub; outside the recorder's data directory for another user");
  pair.action(async () =>
    finish(await (await import("../commands/serving/recorder-pair.ts")).pair(pair.optsWithGlobals())),
  );
  const join = subcommand(
    recorder,
    "join",
    "Use the recorder whose line is on stdin, from the next start",
    "sudo -u recorder countersign recorder pair --hub-user ann … | countersign recorder join",
  );
  join.action(async () =>
    finish(await (await import("../commands/serving/recorder-pair.ts")).join(join.optsWithGlobals())),
  );
}

function toUser(text: string): string {
  if (/^(?:\d{1,10}|[A-Za-z_][A-Za-z0-9_.-]{0,63}\$?)$/.test(text)) return text;
  throw new InvalidArgumentError("A user is a name or a number.");
}
