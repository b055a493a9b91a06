/** What one run of a session is: what it had, its command, and then, behind a mark that nobody can guess, what it leaves. */
export function sessionScript(run: {
  readonly command: string;
  readonly cwd: string;
  readonly exports: string;
  readonly mark: string;
  readonly envs?: ReadonlyMap<string, string> | undefined;
}): string {
  const { command, cwd, exports, mark } = run;
  const { before, after } = forOneRun(run.envs);
  return [
    exports,
    ...before,
    `cd ${shellQuoted(cwd)}`,
    command,
    "__execd_code=$?",
    ...after,
    `printf '\\n%s\\n' ${mark}; export -p; printf '%s\\n' ${mark}; pwd; exit "$__execd_code"`,
  ].join("\n");
}

/** Variables that the session has under the same names come back after it. A name that no shell takes is refused before. */
function forOneRun(envs: ReadonlyMap<string, string> = new Map()) {
  if (envs.size === 0) return { before: [], after: [] };
  const names = [...envs.keys()].join(" ");
  const set = [...envs].map(([name, value]) => `export ${name}=${shellQuoted(value)}`);
  return {
    before: [`__execd_kept=$(declare -p ${names} 2>/dev/null)`, ...set],
    after: [`unset ${names}; eval "$__execd_kept"; unset __execd_kept`],
  };
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** As Go's %q. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
