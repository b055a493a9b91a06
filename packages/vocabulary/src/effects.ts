/** What one predicted consequence can be: ceilings, receipts and the page all switch on it. */
export const EFFECT_KINDS = [
  "reads",
  "writes",
  "deletes",
  "network-read",
  "network-send",
  "executes",
  "privilege",
  "persistence",
  "credentials",
  "history-rewrite",
  "infrastructure",
  "process-control",
  "obfuscation",
  "environment",
] as const;
export type EffectKind = (typeof EFFECT_KINDS)[number];

/** Ranked from harmless to harmful. */
export const RISK_LEVELS = ["safe", "needs-review", "dangerous"] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** The four layers of the safety engine, one of which found each effect. */
export const SAFETY_LAYERS = ["allowlist", "shell-syntax", "safe-binary", "dangerous-pattern"] as const;
export type SafetyLayer = (typeof SAFETY_LAYERS)[number];

/** What a call into a sandbox's files does to a path. */
export const SANDBOX_CHANGES = ["create", "modify", "move", "delete", "make-directory", "delete-directory"] as const;

/** What an entry of a directory is. */
export const FILE_TYPES = ["file", "directory", "link", "other"] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** Why the text of a script isn't shown on a card. */
export const SCRIPT_OMISSIONS = [
  /** No package.json in the directory itself. */
  "NOT_HERE",
  /** package.json has no script of that name. */
  "NOT_NAMED",
  /** Not a file that can be read, or not JSON that every reader reads alike. */
  "UNREADABLE",
  /** The file or the script is longer than anybody would read. */
  "TOO_LARGE",
  /** Other scripts of the same command are shown. */
  "TOO_MANY",
  /** It is no longer what the permit would bind. */
  "CHANGED",
] as const;
export type ScriptOmission = (typeof SCRIPT_OMISSIONS)[number];
