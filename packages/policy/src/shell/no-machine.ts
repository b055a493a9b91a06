import type { ClassifyContext } from "./classification.ts";
import { normalize } from "./resolve-path.ts";

const PLAIN_NAME = /^[A-Za-z0-9_+-][A-Za-z0-9_.+-]*$/;
/** On most systems all of these are one directory. */
const SYSTEM_BIN = /^\/(?:usr\/)?s?bin\//;

/**
 * A machine that nobody looks at: every program with a plain name is installed, there are no links of its own, and the
 * working directory is the workspace. For judging commands as text, the same everywhere.
 */
export const NO_MACHINE: ClassifyContext = {
  cwd: "/home/me/project",
  home: "/home/me",
  roots: ["/home/me/project"],
  env: {},
  protectedPaths: ["/home/me/.countersign"],
  resolveProgram: (name) => (PLAIN_NAME.test(name) ? `/usr/bin/${name}` : undefined),
  realpath: (path) => normalize(path).replace(SYSTEM_BIN, "/usr/bin/"),
};
