import type { ClassifyContext } from "./classification.ts";
import { normalize } from "./resolve-path.ts";

/** A machine for tests: every program that isn't obviously made up is on the trusted PATH, and there are no links. */
export function fixtureContext(changes: Partial<ClassifyContext> = {}): ClassifyContext {
  return {
    cwd: "/home/me/project",
    home: "/home/me",
    roots: ["/home/me/project"],
    env: {},
    protectedPaths: ["/home/me/.countersign"],
    resolveProgram: (name) =>
      /^[a-z_][a-z0-9_.-]*$/i.test(name) && !name.startsWith("unknown-") ? `/usr/bin/${name}` : undefined,
    realpath: (path) => normalize(path),
    ...changes,
  };
}
