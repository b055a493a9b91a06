import { userHome } from "../base/index.ts";

/** What of this machine decides where agents keep their things. */
export interface Machine {
  /** The user's; undefined for one without. */
  readonly userHome: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Before the paths that belong to the whole machine. Empty, but for tests. */
  readonly root: string;
}

export function thisMachine(): Machine {
  return { userHome: userHome(), cwd: process.cwd(), env: process.env, platform: process.platform, root: "" };
}
