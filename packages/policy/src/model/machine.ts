import type { OwnSettings } from "../catalog/places/index.ts";
import { normalize } from "./path.ts";

const PLAIN_NAME = /^[A-Za-z0-9_+-][A-Za-z0-9_.+-]*$/;
/** One directory on most systems. */
const SYSTEM_BIN = /^\/(?:usr\/)?s?bin\//;

/**
 * A made-up machine for classifying commands as text, the same everywhere: every program with a plain name is
 * installed, there are no links, and the working directory is the workspace.
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

/** What `classify` may know about the machine. A missing answer means "not safe". */
export interface Machine {
  /** Real path of the working directory. */
  readonly cwd: string;
  readonly home: string;
  /** Real paths of the directories that the proposal may work in, the workspace first. */
  readonly roots: readonly string[];
  /** Variables that the proposal adds to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and directories of Countersign itself; touching one is part of the floor. */
  readonly protectedPaths: readonly string[];
  /**
   * Name or path of the shell that reads the command, if it isn't our bash: an agent that runs the command itself has
   * its own. Nothing is safe that this shell may read differently than bash.
   */
  readonly shell?: string;
  /** Returns the program's real path if `name` resolves on the trusted PATH. */
  resolveProgram(name: string): string | undefined;
  /** Returns the path with all existing links resolved, or undefined if they can't be. */
  realpath(path: string): string | undefined;
  /** Returns the hosts that the user's own settings name, none of them inside `roots`. Absent: no host is known. */
  hostsIn?(settings: OwnSettings): readonly string[];
}
