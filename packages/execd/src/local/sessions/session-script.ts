/** What one run of a session is: what it had, its command, and then, behind a mark that nobody can guess, what it leaves. */
export function sessionScript(run: { command: string; cwd: string; exports: string; mark: string }): string {
  const { command, cwd, exports, mark } = run;
  return [
    exports,
    `cd ${shellQuoted(cwd)}`,
    command,
    "__execd_code=$?",
    `printf '\\n%s\\n' ${mark}; export -p; printf '%s\\n' ${mark}; pwd; exit "$__execd_code"`,
  ].join("\n");
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** As Go's %q. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
