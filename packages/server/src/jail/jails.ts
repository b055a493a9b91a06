import { statSync } from "node:fs";
import { bwrapArguments } from "./bwrap-arguments.ts";
import type { JailCut } from "./cut-jail.ts";
import { hiddenTrees, outermost } from "./hidden-trees.ts";
import { JailError } from "./jail-error.ts";
import { type Launch, shellWords, statusFd } from "./launch.ts";
import { viewMachine } from "./view-machine.ts";

export interface JailRequest {
  readonly cut: JailCut;
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What the jail saw of a run. */
export interface JailReport {
  /** Connections that it refused. */
  readonly refused: readonly string[];
  /** What the run left that would start code, and where it was put. */
  readonly quarantined: readonly string[];
}

export interface Jailed {
  readonly launch: Launch;
  /** After the run, once however often it is called: lets go of what the jail needed, and looks at what it left. */
  finish(): Promise<JailReport>;
}

interface JailFacts {
  readonly bwrap: string;
  /** Our own home. */
  readonly ownHome: string;
  /** Opens the seccomp program for one more run. */
  openSeccomp(kind: JailCut["kind"]): number;
  readonly scratchBytes: number;
}

/** Builds the jail of each run. There is one only where a jail was built and held, at the hub's start. */
export class Jails {
  readonly #facts: JailFacts;

  constructor(facts: JailFacts) {
    this.#facts = facts;
  }

  async build(request: JailRequest): Promise<Jailed> {
    const { cut, shell, command, cwd } = request;
    const { bwrap, ownHome, scratchBytes } = this.#facts;
    const roots = outermost(request.roots.filter(isDirectory));
    if (roots.includes("/")) throw new JailError("ROOT_TOO_WIDE", "The workspace is /: no jail can be cut around it");
    const view = viewMachine({
      ...{ cut, cwd, roots, scratchBytes },
      hidden: hiddenTrees(ownHome),
      homeShown: [],
      secrets: [{ path: ownHome, kind: "directory" }],
      steps: [],
    });
    const descriptors = [this.#facts.openSeccomp(cut.kind)];
    const args = bwrapArguments(view, {
      hasNetwork: false,
      seccompFd: 3,
      statusFd: statusFd(descriptors),
      sourceOf: (path) => path,
    });
    const [file = bwrap, ...rest] = [bwrap, ...args, "--", ...shellWords(shell, command)];
    const env = { ...request.env, TMPDIR: "/tmp" };
    return {
      launch: { file, args: rest, env, cwd: "/", jail: { descriptors } },
      finish: async () => ({ refused: [], quarantined: [] }),
    };
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
