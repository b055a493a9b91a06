/**
 * How the user called us, for sentences that say what to type next: from a clone, through npm, there is no
 * `countersign` on the PATH.
 */
export function ourName(env: NodeJS.ProcessEnv = process.env): string {
  return env.npm_command === undefined ? "countersign" : "npx countersign";
}
