import type { Decider } from "@countersign/vocabulary";
import type { ExecApprovalRequestPayload, ShownScript } from "../proposals/index.ts";
import { REDACTION_MARK, visible } from "../text/index.ts";

/** Why the hash of what would run can't be computed from what is shown; undefined where it can. */
export function explainUnverified({ subject, command, cwd, env }: ExecApprovalRequestPayload): string | undefined {
  const so = "so its hash could not be checked here.";
  if (subject !== "exec") return `This is a change of the policy and not a command, ${so}`;
  if (command.includes(REDACTION_MARK)) return `The hub redacted this command, ${so}`;
  if (Object.values(env).some((text) => text.includes(REDACTION_MARK))) {
    return `The hub redacted this command's environment, ${so}`;
  }
  if (cwd?.includes(REDACTION_MARK)) return `The hub redacted where this command runs, ${so}`;
  return cwd === undefined ? `The hub didn't say where this command runs, ${so}` : undefined;
}

/** Whether the hub holds something of it back, which it shows to an approver who asks. */
export function isRedacted(card: ExecApprovalRequestPayload): boolean {
  return JSON.stringify({ ...card, diff: "" }).includes(REDACTION_MARK);
}

/** Which jail, and whom it lets the command reach. */
export function jailWords(card: Pick<ExecApprovalRequestPayload, "jail" | "network" | "lends">): string {
  const { lends = [] } = card;
  return lends.length === 0 ? limits(card) : `${limits(card)}, lends ${visible(lends.join(", "))}`;
}

function limits({ jail, network }: Pick<ExecApprovalRequestPayload, "jail" | "network">): string {
  if (jail === "none") return "no jail";
  if (network === undefined) return `jail: ${jail}`;
  if (network === "any") return `jail: ${jail}, any network but this machine's`;
  return network.length === 0 ? `jail: ${jail}, no network` : `jail: ${jail}, network: ${visible(network.join(", "))}`;
}

/** For sentences and choices. */
export const RISK_WORDS = { safe: "safe", "needs-review": "review", dangerous: "dangerous" } as const;

/** As it stands over a card. */
export function riskWord(level: ExecApprovalRequestPayload["riskLevel"]): string {
  return RISK_WORDS[level].toUpperCase();
}

/** Of an entry, as far as it was stated. */
interface ShownCeiling {
  readonly kinds?: readonly string[] | undefined;
  readonly risk?: string | undefined;
  readonly roots?: readonly string[] | undefined;
  readonly options?: readonly string[] | undefined;
  readonly subcommand?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
}

/** How far an entry goes at the most, in one line. */
export function ceilingWords({ kinds = [], risk, roots, options, subcommand, hosts }: ShownCeiling): string {
  const parts = [
    `${kinds.join(", ") || "nothing"} up to ${risk ?? "safe"}`,
    ...(subcommand === undefined ? [] : [subcommand === "" ? "no subcommand" : `only ${subcommand}`]),
    ...(options === undefined ? [] : [options.length === 0 ? "no options" : `options ${options.join(" ")}`]),
    ...(roots === undefined ? [] : [`in ${roots.join(", ")}`]),
    ...(hosts === undefined ? [] : [`hosts ${hosts.join(", ") || "none"}`]),
  ];
  return visible(parts.join("; "));
}

/** What made a decision, for sentences. */
export const DECIDER_WORDS: Record<Decider, string> = {
  policy: "the policy",
  entry: "an entry of the policy",
  grant: "a grant",
  person: "a person",
  timeout: "the deadline",
  floor: "the floor, which no policy lifts",
  "deny-entry": "a deny entry of the policy",
  undelivered: "the deadline",
  shutdown: "the hub, which is shutting down",
  cancelled: "whoever proposed it",
  paused: "the pause",
  "agent-prompt": "the agent's own prompt",
};

type Silence = NonNullable<ShownScript["silence"]>;

/** Why the text of a script isn't shown, as the end of a sentence. */
export const SCRIPT_OMISSION_WORDS: Record<Silence, string> = {
  NOT_HERE: "there's no package.json in its directory",
  NOT_NAMED: "package.json has no script of that name",
  UNREADABLE: "package.json can't be read for certain",
  TOO_LARGE: "it is too long to be shown",
  TOO_MANY: "too many scripts are in this command",
  CHANGED: "package.json changed while it was read",
};

/** Of scripts that several effects run, each once. */
export function scriptsOf(effects: readonly { readonly script?: ShownScript | undefined }[]): ShownScript[] {
  const found = new Map<string, ShownScript>();
  for (const { script } of effects) if (script) found.set(JSON.stringify([script.file, script.runs]), script);
  return [...found.values()];
}

/** How many characters at the end of a text aren't shown. */
export function leftWords(left: number): string {
  return `+ ${left.toLocaleString("en")} ${left === 1 ? "character" : "characters"} that aren't shown`;
}
