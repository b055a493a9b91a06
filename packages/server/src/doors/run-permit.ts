import { constants } from "node:os";
import { type Outcome, type RunPermitEnd, runPermitSchema, wordsForAgent } from "@countersign/sdk";
import type { Hub } from "../hub/hub.ts";
import { LOCAL_AGENT, localAgent } from "../identity.ts";
import { readOrRefuse } from "../read-or-refuse.ts";
import { followOutput } from "../run/follow-output.ts";

interface RunPermitRooms {
  readonly hub: Hub;
  readonly send: (line: object) => Promise<void>;
}

/** Starts what a permit permits, tells what it writes as it comes, and ends it when whoever asked for it is gone. */
export async function runPermit(
  params: unknown,
  { hub, send }: RunPermitRooms,
  signal: AbortSignal,
): Promise<RunPermitEnd> {
  const { permit, agent } = readOrRefuse(runPermitSchema, params);
  const identity = agent === undefined ? LOCAL_AGENT : localAgent(agent);
  const { output, outcome } = hub.proposals.claim(permit, identity, signal);
  for await (const { stream, text } of followOutput(output, { signal })) await send({ output: { stream, text } });
  return endOf(await outcome);
}

/** As a shell would tell it; where nothing ran, as one that couldn't run it. */
function endOf(outcome: Outcome): RunPermitEnd {
  const sentence = wordsForAgent(outcome, 0);
  return { exitCode: exitCodeOf(outcome), ...(sentence === undefined ? {} : { sentence }) };
}

const EXIT = { timedOut: 124, lost: 125, refused: 126, aborted: 130 };

function exitCodeOf({ kind, exitCode, signal }: Outcome): number {
  switch (kind) {
    case "exited":
      return exitCode ?? EXIT.lost;
    case "signalled":
      return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
    case "timed-out":
      return EXIT.timedOut;
    case "aborted":
      return EXIT.aborted;
    case "interrupted":
      return EXIT.lost;
    default:
      return EXIT.refused;
  }
}
