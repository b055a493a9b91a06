import { ASSUMED_MACHINE, type Machine } from "../../src/model/machine.ts";
import { normalize } from "../../src/model/path.ts";

/** A machine for tests: every program that isn't obviously made up is on the trusted PATH, and there are no links. */
export function fixtureContext(changes: Partial<Machine> = {}): Machine {
  return {
    ...ASSUMED_MACHINE,
    resolveProgram: (name) => (name.startsWith("unknown-") ? undefined : ASSUMED_MACHINE.resolveProgram(name)),
    realpath: normalize,
    ...changes,
  };
}
