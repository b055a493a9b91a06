import { constants } from "node:os";

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number as number, name]));

/** The signal that a shell would tell by this exit code: 128 and its number. */
export function signalOfCode(exitCode: number): string | undefined {
  return SIGNALS.get(exitCode - 128);
}
