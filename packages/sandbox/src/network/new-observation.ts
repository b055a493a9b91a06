import { randomBytes, randomInt } from "node:crypto";
import { EgressError } from "../errors/index.ts";
import { MOST_NUMBERS } from "./rules/index.ts";
import type { SandboxState } from "./sandbox-state.ts";

/** Under any number that nobody has, and hardly the one that was given back last, which may still be on flows that end. Throws EgressError. */
export function newObservation(taken: ReadonlySet<number>): SandboxState["observations"][number] {
  const from = randomInt(MOST_NUMBERS);
  for (let at = 0; at < MOST_NUMBERS; at += 1) {
    const number = ((from + at) % MOST_NUMBERS) + 1;
    if (!taken.has(number)) return { number, key: randomBytes(6).toString("hex") };
  }
  throw new EgressError("TOO_MANY", "no number is left to mark flows with");
}
