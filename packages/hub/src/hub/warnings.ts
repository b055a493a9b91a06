import type { JailProbe } from "@countersign/jail";
import { NO_JAIL_WARNING } from "@countersign/protocol/hub";
import type { StoreError } from "@countersign/store";

/** Sessions that are named; of the others only how many. */
export const MAX_TOLD = 10;

export function tellNoJail({ problem }: JailProbe): string[] {
  return problem === undefined ? [] : [`${NO_JAIL_WARNING}${problem}.`];
}

export function tellUnheld({ jails }: JailProbe): string[] {
  return (jails?.unheldLimits ?? []).map((limit) => `A limit of runs isn't enforced in full here: ${limit}.`);
}

export function tellUnrecordable(problem: StoreError | undefined): string[] {
  return problem === undefined
    ? []
    : [`Everything new is denied, because it can't be put on record: ${problem.code}. ${problem.message}`];
}

export function tellForgotten(count: number): string[] {
  if (count === 0) return [];
  const lost =
    "Answers, pauses, revoked tokens and changes of policy since then are forgotten here, and not undone there";
  return [
    `This hub's database is an older copy: ${count} receipts are of what it told since. ${lost}: look at countersign receipts list.`,
  ];
}

export function tellPaused(sessions: readonly string[]): string[] {
  const told = sessions.slice(0, MAX_TOLD).map((session) => {
    const how = `countersign resume --session ${JSON.stringify(session)}`;
    return `Session ${JSON.stringify(session)} is paused after too many denials in a row: \`${how}\` lets it go on.`;
  });
  return sessions.length > MAX_TOLD ? [...told, `${sessions.length - MAX_TOLD} more sessions are paused.`] : told;
}
