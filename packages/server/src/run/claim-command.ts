import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { quoteWord } from "@countersign/sdk";
import type { Permit } from "../permit/permit.ts";

export interface Claimant {
  readonly agent: string;
  /** Countersign's own home. */
  readonly homeDir: string;
}

/** Agents whose shell goes where the command went: they ask it afterwards where it stands. */
const FOLLOWING: ReadonlySet<string> = new Set(["claude-code"]);

const OWN_RUNNER = fileURLToPath(new URL("../../../cli/hook/countersign-sh.cjs", import.meta.url));

/** All that the runner is given of the agent's environment: a repository's settings could set what loads code into it (NODE_OPTIONS). */
const ALONE = `/usr/bin/env -i "TERM=\${TERM-}"`;

/**
 * What an agent runs instead of the command that was permitted, in whatever shell it has: bash, zsh, or another of POSIX'. Everything in
 * it is ours and quoted; nothing of the command is.
 */
export function claimCommand(permit: Pick<Permit, "id">, { agent, homeDir }: Claimant): string {
  // This hub's own speaks its language; an emptied package cache leaves the copy that was installed.
  const file = existsSync(OWN_RUNNER) ? OWN_RUNNER : join(homeDir, "hook", "countersign-sh.cjs");
  const words = [process.execPath, file, "--home", homeDir, "--agent", agent];
  const follows = FOLLOWING.has(agent);
  const all = follows ? [...words, "--tell-directory", permit.id] : [...words, permit.id];
  const runner = `${ALONE} ${all.map(quoteWord).join(" ")}`;
  return follows ? following(runner) : runner;
}

/**
 * The runner's descriptor 3 is read into a variable while its output goes where the shell's goes. `builtin`: a `cd` of the user's own may
 * ask or print something; a shell that has no `builtin` has no such thing either.
 */
function following(runner: string): string {
  return [
    // Also where the agent's shell leaves at the first failure (`set -e`).
    `{ countersign_dir=$(${runner} 3>&1 >&4 4>&-) && countersign_code=0 || countersign_code=$?; } 4>&1`,
    `if [ -n "$countersign_dir" ]; then { builtin cd -- "$countersign_dir" || cd -- "$countersign_dir"; } >/dev/null 2>&1; fi`,
    `( exit "$countersign_code" )`,
  ].join("; ");
}
