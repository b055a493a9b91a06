import * as z from "zod";

/** The agents that `install` knows how to stand in front of. */
export const hookedAgentSchema = z.enum(["claude-code", "codex", "gemini", "cursor", "opencode"]);
export type HookedAgent = z.infer<typeof hookedAgentSchema>;

/** Every way in that has a name of its own on cards and receipts. */
export type AgentName = HookedAgent | "acp" | "mcp";

/** What can be promised about a command that comes this way. */
export interface AgentCapabilities {
  readonly name: AgentName;
  readonly title: string;
  /** Nothing that it hooks runs before we have answered. */
  readonly decided: boolean;
  /** What is allowed runs in our jail. */
  readonly jailed: boolean;
  /** The agent takes another command than the one that it proposed. */
  readonly rewritable: boolean;
  /** How it ended comes on record. */
  readonly outcomeRecorded: boolean;
  /** What the four don't say, one sentence each. */
  readonly limits: readonly string[];
}

/** Where a machine keeps an agent's settings. `~` is the user's home, `.` the project. */
interface SettingsPlaces {
  readonly user: string;
  readonly project: string;
  /** A place that a user can't override; null where the agent has none. */
  readonly managed: { readonly linux: string; readonly darwin: string } | null;
  /** Moves the first folder of `user` elsewhere, when the agent is started with it. */
  readonly folderVariable: string | null;
}

/** A command in the agent's settings, run for each of these events. */
interface CommandHook {
  readonly kind: "command";
  /** Those that can block, then those that tell how it ended. */
  readonly gates: readonly string[];
  readonly reports: readonly string[];
  readonly timeout: number;
  readonly timeoutUnit: "s" | "ms";
}

/** A file of code that the agent loads. */
interface PluginHook {
  readonly kind: "plugin";
}

export interface AgentFacts extends AgentCapabilities {
  readonly name: HookedAgent;
  /** What it is given unless config says otherwise: `run` has its commands run by us, `gate` leaves that to the agent. */
  readonly mode: "run" | "gate";
  readonly hook: CommandHook | PluginHook;
  /** We have answered by then: well before the agent gives up, since several of them let the command run when it does. */
  readonly deadlineMs: number;
  readonly settings: SettingsPlaces;
  /** Programs on PATH, and folders of the home, that show it is installed. */
  readonly programs: readonly string[];
  readonly folders: readonly string[];
}

/** Each agent gives a hook ten minutes; the answer comes a minute sooner. */
const TIMEOUT_S = 600;
const DEADLINE_MS = 540_000;

export const AGENTS: Readonly<Record<HookedAgent, AgentFacts>> = {
  "claude-code": {
    name: "claude-code",
    title: "Claude Code",
    mode: "run",
    decided: true,
    jailed: true,
    rewritable: true,
    outcomeRecorded: true,
    limits: ["`disableAllHooks` in any settings file switches a hook off that isn't a managed one."],
    hook: {
      kind: "command",
      gates: ["PreToolUse"],
      reports: ["PostToolUse", "PostToolUseFailure"],
      timeout: TIMEOUT_S,
      timeoutUnit: "s",
    },
    deadlineMs: DEADLINE_MS,
    settings: {
      user: "~/.claude/settings.json",
      // Absolute paths of one machine don't belong in the file that a team shares.
      project: ".claude/settings.local.json",
      managed: {
        linux: "/etc/claude-code/managed-settings.json",
        darwin: "/Library/Application Support/ClaudeCode/managed-settings.json",
      },
      folderVariable: "CLAUDE_CONFIG_DIR",
    },
    programs: ["claude"],
    folders: [".claude"],
  },
  codex: {
    name: "codex",
    title: "Codex",
    mode: "gate",
    decided: true,
    jailed: false,
    rewritable: true,
    outcomeRecorded: true,
    limits: [
      "Its own sandbox keeps what it runs from reaching the hub; where that is off, mode `run` puts our jail in its place.",
      "What is typed into a command that still runs (`write_stdin`) comes by no hook.",
      "Codex passes a hook over without a word unless it was told to trust it: `install` tells it, in its config.toml.",
    ],
    hook: {
      kind: "command",
      gates: ["PreToolUse", "PermissionRequest"],
      reports: ["PostToolUse"],
      timeout: TIMEOUT_S,
      timeoutUnit: "s",
    },
    deadlineMs: DEADLINE_MS,
    settings: {
      user: "~/.codex/hooks.json",
      project: ".codex/hooks.json",
      managed: { linux: "/etc/codex/hooks.json", darwin: "/etc/codex/hooks.json" },
      folderVariable: "CODEX_HOME",
    },
    programs: ["codex"],
    folders: [".codex"],
  },
  gemini: {
    name: "gemini",
    title: "Gemini CLI",
    mode: "run",
    decided: true,
    jailed: true,
    rewritable: true,
    outcomeRecorded: true,
    limits: [
      "Its own prompt comes on top of ours.",
      "In a folder that it doesn't trust, Gemini CLI runs no hooks at all.",
    ],
    hook: {
      kind: "command",
      gates: ["BeforeTool"],
      reports: ["AfterTool"],
      timeout: TIMEOUT_S * 1000,
      timeoutUnit: "ms",
    },
    deadlineMs: DEADLINE_MS,
    settings: {
      user: "~/.gemini/settings.json",
      project: ".gemini/settings.json",
      managed: {
        linux: "/etc/gemini-cli/settings.json",
        darwin: "/Library/Application Support/GeminiCli/settings.json",
      },
      folderVariable: null,
    },
    programs: ["gemini"],
    folders: [".gemini"],
  },
  cursor: {
    name: "cursor",
    title: "Cursor",
    mode: "gate",
    decided: true,
    jailed: false,
    rewritable: false,
    outcomeRecorded: true,
    limits: [
      "Only a denial counts: Cursor's own rules and prompts still apply to what is allowed, and it can't be told to ask (`handBack` has no effect).",
      "Inline completions (Tab) come by no hook that can deny.",
    ],
    hook: {
      kind: "command",
      gates: ["beforeShellExecution", "beforeMCPExecution", "preToolUse"],
      reports: ["afterShellExecution", "afterMCPExecution", "postToolUse", "postToolUseFailure"],
      timeout: TIMEOUT_S,
      timeoutUnit: "s",
    },
    deadlineMs: DEADLINE_MS,
    settings: {
      user: "~/.cursor/hooks.json",
      project: ".cursor/hooks.json",
      managed: { linux: "/etc/cursor/hooks.json", darwin: "/Library/Application Support/Cursor/hooks.json" },
      folderVariable: null,
    },
    programs: ["cursor", "cursor-agent"],
    folders: [".cursor"],
  },
  opencode: {
    name: "opencode",
    title: "OpenCode",
    mode: "run",
    decided: true,
    jailed: true,
    rewritable: true,
    outcomeRecorded: true,
    limits: ["A plugin that can't be loaded gates nothing; `doctor` loads it to find out."],
    hook: { kind: "plugin" },
    deadlineMs: DEADLINE_MS,
    settings: {
      user: "~/.config/opencode/plugins/countersign.js",
      project: ".opencode/plugins/countersign.js",
      managed: null,
      folderVariable: null,
    },
    programs: ["opencode"],
    folders: [".config/opencode"],
  },
};

/** Ways in without a hook: what a client of these protocols asks for comes to the hub by itself. */
const PROTOCOLS: readonly AgentCapabilities[] = [
  {
    name: "acp",
    title: "ACP clients",
    decided: true,
    jailed: false,
    rewritable: true,
    outcomeRecorded: true,
    limits: ["Only what the agent asks for: terminals of the editor are jailed, what the agent runs itself isn't."],
  },
  {
    name: "mcp",
    title: "MCP clients",
    decided: true,
    jailed: true,
    rewritable: true,
    outcomeRecorded: true,
    limits: ["Only tools that are called through us; an agent's own shell goes round it."],
  },
];

/** The table of docs, `doctor` and the page, in its order. */
export const AGENT_CAPABILITIES: readonly AgentCapabilities[] = [...Object.values(AGENTS), ...PROTOCOLS];
