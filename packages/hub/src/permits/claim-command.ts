import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { quoteWord } from "@countersign/protocol/text";
import type { Permit } from "./permit.ts";

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
  const runner = existsSync(OWN_RUNNER) ? OWN_RUNNER : join(homeDir, "hook", "countersign-sh.cjs");
  return writeClaim({ node: process.execPath, runner, homeDir, agent, permit: permit.id });
}

interface Claim extends Claimant {
  readonly node: string;
  readonly runner: string;
  readonly permit: string;
}

function writeClaim({ node, runner, homeDir, agent, permit }: Claim): string {
  const tells = FOLLOWING.has(agent) ? ["--tell-directory"] : [];
  const words = [node, runner, "--home", homeDir, "--agent", agent, ...tells, permit];
  const claim = `${ALONE} ${words.map(quoteWord).join(" ")}`;
  return FOLLOWING.has(agent) ? following(claim) : claim;
}

/**
 * The permit that a command claims, where that is all it does: some agents write down only this of what they ran, and a permit can be
 * mentioned beside anything. It may be of another version of Node, or of us.
 */
export function claimedPermit(command: string): string | undefined {
  const pieces = command.match(/(?:'[^']*'|\\')+/g) ?? [];
  const [node, runner, , homeDir, , agent, ...rest] = pieces.map((piece) =>
    piece.slice(1, -1).replaceAll("'\\''", "'"),
  );
  const permit = rest.at(-1);
  if (node === undefined || runner === undefined || homeDir === undefined || agent === undefined) return undefined;
  if (permit === undefined || !/\/node(?:js)?$/.test(node) || !runner.endsWith("/countersign-sh.cjs")) return undefined;
  return writeClaim({ node, runner, homeDir, agent, permit }) === command ? permit : undefined;
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
