import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { visible } from "@countersign/protocol/text";
import { type Invitation, invitationSchema, joinRecorder, pairHub } from "@countersign/recorder";
import { CliError, EXIT, type GlobalOptions, homeDirOf, ourName } from "../../base/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";
import { asRefusedStart } from "./refused-start.ts";

export interface PairOptions extends GlobalOptions {
  readonly hubUser?: string;
  readonly hubSocket?: string;
}

/** Prints the line that the hub joins with; with --json it is the same. */
export async function pair(options: PairOptions): Promise<number> {
  const { hubUser, hubSocket } = options;
  const invitation = await pairHub({
    homeDir: homeDirOf(options),
    hubUid: hubUser === undefined ? (process.getuid?.() ?? 0) : userId(hubUser),
    socket: hubSocket === undefined ? undefined : resolve(hubSocket),
  }).catch(asRefusedStart);
  printJson(invitation);
  if (process.stdout.isTTY) {
    process.stderr.write(
      `This line is a secret. As the hub's user, give it to \`${ourName()} recorder join\` on stdin.\n`,
    );
  }
  return EXIT.ok;
}

/** Reads that line. */
export async function join(options: GlobalOptions): Promise<number> {
  const homeDir = homeDirOf(options);
  const invitation = readInvitation(await text(process.stdin));
  const { leftKey } = await joinRecorder(homeDir, invitation).catch(asRefusedStart);
  if (options.json) printJson({ home: homeDir, recorder: invitation.socket, leftKey: leftKey ?? null });
  else {
    printLines([
      `From its next start on, the hub of ${visible(homeDir)} has its record kept by the recorder on ${visible(invitation.socket)}.`,
      ...(leftKey === undefined
        ? []
        : [`Warning: ${visible(leftKey)} still lies there. The recorder alone should have it.`]),
    ]);
  }
  return EXIT.ok;
}

function readInvitation(line: string): Invitation {
  const reading = invitationSchema.safeParse(parse(line));
  if (reading.success) return reading.data;
  const message = "What came on stdin isn't the line that `countersign recorder pair` printed. Pipe it in as it is.";
  throw new CliError("FAILED", message, { exitCode: EXIT.usage });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** `name:password:number:…`, one a line. Users that only the system's own lookup knows need the number. */
function userId(user: string): number {
  if (/^\d+$/.test(user)) return Number(user);
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${user}:`));
  const id = Number(line?.split(":")[2] ?? Number.NaN);
  if (Number.isInteger(id)) return id;
  throw new CliError("FAILED", `There's no user ${user} in /etc/passwd. Make it, or give its number.`);
}
