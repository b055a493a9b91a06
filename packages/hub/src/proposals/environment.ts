import { homeDirectory, userName } from "@countersign/core/host";
import { type Profile, refusedInEnv } from "@countersign/policy";

/** What a child may inherit from the hub. Everything else stays behind. */
const INHERITED = ["LANG", "TERM", "TZ", "TMPDIR"] as const;

/** Seed 003's pattern, and names that it misses. These win over whatever anyone adds. */
const SECRET_VALUE = /(?:^|_)(KEY|SECRET|TOKEN|PASSWORD|PASSWD|PAT)$/i;
const SECRET_FILE = /(?:^|_)CREDENTIALS?$/i;
const SECRET_PREFIXES = ["COUNTERSIGN_", "AWS_", "LD_", "BASH_"];
const SECRET_NAMES = new Set([
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "PGPASSWORD",
  "DATABASE_URL",
  "SSH_AUTH_SOCK",
  "GOOGLE_APPLICATION_CREDENTIALS",
]);

/** Names that never reach a child, whoever set them. */
export function isSecretName(name: string): boolean {
  const prefixed = SECRET_PREFIXES.some((prefix) => name.startsWith(prefix));
  return prefixed || SECRET_NAMES.has(name) || carriesSecret(name) || SECRET_FILE.test(name);
}

/** Names whose value is a secret itself, and not the way to one. */
export function carriesSecret(name: string): boolean {
  return SECRET_VALUE.test(name);
}

/** What the profile and the proposal add; the proposal's were checked when it came. */
export function addedEnv(
  profile: Pick<Profile, "env"> | null,
  proposal: { readonly env: Readonly<Record<string, string>> },
): Record<string, string> {
  const ofProfile = Object.entries(profile?.env ?? {}).filter(([name]) => !refusedInEnv(name));
  return { ...Object.fromEntries(ofProfile), ...proposal.env };
}

/** The whole environment of a run: built from an allowlist, so that a forgotten secret isn't a leaked one. */
export function sanitizedEnv(
  path: string,
  added: Readonly<Record<string, string>>,
  inherited: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = inherited[name];
    if (value !== undefined) env[name] = value;
  }
  const user = userName();
  // LC_ALL decides how bash reads bytes: some locales have multi-byte characters that end in a backslash.
  Object.assign(env, { PATH: path, HOME: homeDirectory(), USER: user, SHELL: "/bin/bash" }, GIT_GUARD);
  for (const [name, value] of Object.entries(added)) if (!isSecretName(name)) env[name] = value;
  env.LC_ALL = "C.UTF-8";
  // It wins over LC_ALL, and names files with formats for what is printed, also by a root hub's programs that start the jail.
  delete env.LANGUAGE;
  return env;
}
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
