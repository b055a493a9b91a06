import type { OwnSettings } from "../catalog/places/index.ts";
import { normalize } from "./path.ts";

const PLAIN_NAME = /^[A-Za-z0-9_+-][A-Za-z0-9_.+-]*$/;
/** On most systems all of these are one directory. */
const SYSTEM_BIN = /^\/(?:usr\/)?s?bin\//;

/**
 * A machine that nobody looks at: every program with a plain name is installed, there are no links of its own, and the
 * working directory is the workspace. For judging commands as text, the same everywhere.
 */
export const ASSUMED_MACHINE: Machine = {
  cwd: "/home/me/project",
  home: "/home/me",
  roots: ["/home/me/project"],
  env: {},
  protectedPaths: ["/home/me/.countersign"],
  resolveProgram: (name) => (PLAIN_NAME.test(name) ? `/usr/bin/${name}` : undefined),
  realpath: (path) => normalize(path).replace(SYSTEM_BIN, "/usr/bin/"),
};

/** Everything that `classify` may know about the machine. A missing answer means "not safe". */
export interface Machine {
  /** Real path of the working directory. */
  readonly cwd: string;
  readonly home: string;
  /** Directories that the proposal may work in, real paths, the workspace first. */
  readonly roots: readonly string[];
  /** The proposal's own environment additions. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and directories of Countersign itself; touching them is the floor. */
  readonly protectedPaths: readonly string[];
  /**
   * The shell that will read the command, by its name or path, where it isn't the bash that we start: an agent that runs the
   * command itself has one of its own. Then nothing is safe that this shell may read otherwise than bash.
   */
  readonly shell?: string;
  /** The program's real path when `name` resolves on the trusted PATH. */
  resolveProgram(name: string): string | undefined;
  /** The path with symlinks resolved as far as it exists, or undefined when that can't be told. */
  realpath(path: string): string | undefined;
  /** The hosts that the user's own settings name, none of them inside `roots`. Without an answer no host is known. */
  hostsIn?(settings: OwnSettings): readonly string[];
}
