/**
 * Settings of a repository may name programs that git runs to show something. These win over what the repository says; the
 * ones that no setting can win over (`diff.external`, `textconv`, filters) run in the jail of whoever asked.
 */
const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["core.askPass", ""],
  ["protocol.ext.allow", "never"],
  // Work in the background would outlive the command, and be ended with it.
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

export const GIT_GUARD: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GLAB_PAGER: "cat",
  // There is nobody to ask, and no terminal to edit in.
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  // A look at a repository writes nothing into it.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_COUNT: `${SETTINGS.length}`,
  ...Object.fromEntries(
    SETTINGS.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
};
