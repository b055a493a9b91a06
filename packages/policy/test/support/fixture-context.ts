import type { ClassifyContext } from "../../src/shell/classification.ts";
import { NO_MACHINE } from "../../src/shell/no-machine.ts";
import { normalize } from "../../src/shell/resolve-path.ts";

/** A machine for tests: every program that isn't obviously made up is on the trusted PATH, and there are no links. */
export function fixtureContext(changes: Partial<ClassifyContext> = {}): ClassifyContext {
  return {
    ...NO_MACHINE,
    resolveProgram: (name) => (name.startsWith("unknown-") ? undefined : NO_MACHINE.resolveProgram(name)),
    realpath: normalize,
    ...changes,
  };
}
