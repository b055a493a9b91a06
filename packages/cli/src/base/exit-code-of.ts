import { constants } from "node:os";
import type { Outcome } from "@countersign/protocol/proposals";
import { EXIT } from "@countersign/vocabulary";

/** How `exec` ends for an outcome. */
export function exitCodeOf({ kind, exitCode, signal }: Outcome): number {
  switch (kind) {
    case "exited":
      return exitCode ?? EXIT.couldNot;
    case "signalled":
      return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
    case "timed-out":
      return EXIT.timedOut;
    case "aborted":
      return EXIT.aborted;
    case "denied":
    case "expired":
    case "cancelled":
      return EXIT.denied;
    case "jail-refused":
    case "not-started":
    case "interrupted":
      return EXIT.couldNot;
  }
}
