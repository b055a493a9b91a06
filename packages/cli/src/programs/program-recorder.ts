import { type Command, InvalidArgumentError } from "commander";
import { type Finish, logLevelOption, subcommand } from "../base/index.ts";

/** `countersign recorder …`. */
export function addRecorder(program: Command, finish: Finish): void {
  const recorder = subcommand(
    program,
    "recorder",
    "Sign and keep the record in a process of its own, so that the hub has no key; alone, it starts and stays",
    "countersign recorder --home /var/lib/countersign-recorder",
  )
    .usage("[options] [command]")
    .helpCommand(false)
    .option("--socket <path>", "where emitters send their frames (default: run/recorder.sock in its home)")
    .addOption(logLevelOption());
  recorder.action(async () =>
    finish(await (await import("../commands/serving/recorder.ts")).recorder(recorder.optsWithGlobals())),
  );
  const pair = subcommand(
    recorder,
    "pair",
    "Let one hub in, and print a line for it that `recorder join` reads; the line is a secret",
    "countersign recorder pair --home /var/lib/countersign-recorder --hub-user ann --hub-socket /run/countersign/hub.sock",
  )
    .option("--hub-user <user>", "whom the hub runs as: a name or a number (default: the same user)", toUser)
    .option("--hub-socket <path>", "where it connects; outside of the recorder's home for another user");
  pair.action(async () =>
    finish(await (await import("../commands/serving/recorder-pair.ts")).pair(pair.optsWithGlobals())),
  );
  const join = subcommand(
    recorder,
    "join",
    "Have a hub's record kept by the recorder whose line comes on stdin; from its next start on",
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
