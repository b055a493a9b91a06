import { resolve } from "node:path";
import { type Replay, replay } from "@countersign/hub";
import { readProfile } from "@countersign/policy";
import { visible } from "@countersign/protocol/text";
import { CliError, EXIT, type GlobalOptions } from "../base/index.ts";
import { preview, printJson, printLines } from "../terminal/index.ts";
import { knownProfile, withOffline } from "./offline.ts";
import { readJsonFile } from "./read-json-file.ts";
import { sinceMs } from "./since.ts";

export interface ReplayOptions extends GlobalOptions {
  readonly profile: string;
  readonly since: string;
}

const WIDTH = 100;

/** Which commands of the past a changed profile would decide otherwise. */
export async function replayPolicy(file: string, options: ReplayOptions): Promise<number> {
  const path = resolve(file);
  const reading = readProfile(readJsonFile(path));
  if (!reading.ok) throw new CliError("FAILED", `${path} is invalid: ${reading.problems.join("; ")}.`);
  const result = await withOffline(options, (offline) =>
    replay(offline, {
      profileId: knownProfile(offline, options.profile),
      profile: reading.profile,
      sinceMs: sinceMs(options.since),
      nowMs: Date.now(),
    }),
  );
  if (options.json) printJson(result);
  else printLines(replayLines(result, options.since));
  return EXIT.ok;
}

function replayLines({ proposals, redacted, counts, changes }: Replay, since: string): string[] {
  const changed = changes.reduce((sum, { count }) => sum + count, 0);
  return [
    `${proposals} proposals since ${since}: ${changed === 0 ? "nothing would be" : `${changed} would be`} decided otherwise.`,
    ...(redacted === 0 ? [] : [`${redacted} more held a secret, and can't be read again.`]),
    ...Object.entries(counts).map(([change, count]) => `  ${change}  ${count}`),
    ...changes.flatMap(({ command, cwd, count, from, to, reason }) => [
      "",
      `${from} → ${to}  ${count}×  ${preview(command, WIDTH)}`,
      `  in ${visible(cwd)}`,
      `  ${visible(reason)}`,
    ]),
  ];
}
