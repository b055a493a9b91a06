import { statSync } from "node:fs";
import { type Identity, sha256Hex } from "@countersign/core/base";
import { ASSISTANT, type Config } from "@countersign/core/config";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { homeDirectory } from "@countersign/core/host";
import { isInside, realPathAsFarAsItExists } from "@countersign/core/host/fs";
import { holdsSecret } from "@countersign/core/redaction";
import { isCall, refusedInEnv } from "@countersign/policy";
import { MAX_COMMAND_BYTES, type ProposeExecParams, proposeExecSchema } from "@countersign/protocol/proposals";
import { canonicalize } from "@countersign/receipts";
import { makeSalt } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { refuseOurs } from "../identity/index.ts";
import { ASSISTANT_PROFILE, builtInFor } from "../policies/index.ts";
import { isSecretName } from "./environment.ts";
import type { CardAside, Executor, Proposal } from "./proposal.ts";

/** What a proposal's missing fields are filled in from. */
export interface Setting {
  /** As it is in force now. */
  readonly config: Config;
  /** Where `serve` was started: the workspace of proposers that have none of their own. */
  readonly serveCwd: string;
  readonly nowMs: number;
}

/** Who proposes, and how. */
export interface Origin {
  readonly identity: Identity;
  readonly attached: boolean;
  readonly executor: Executor;
  readonly card?: CardAside | undefined;
  readonly mustAskReason?: string | undefined;
  /** What comes is a call of a tool or into a sandbox; everything else must not look like one. */
  readonly isToolCall?: boolean;
  readonly handsBack?: boolean | undefined;
  readonly patienceMs?: number | undefined;
  readonly shell?: string | undefined;
  /** Where it works, where that isn't where each of its commands runs. */
  readonly workspace?: string | undefined;
}

/** Turns what came over a wire into a proposal, or refuses it with a sentence that names the field. Runs nothing. */
export function accept(raw: unknown, from: Origin, { config, serveCwd, nowMs }: Setting): Proposal {
  const params = readParams(raw, from);
  const { identity, card, mustAskReason, patienceMs } = from;
  const agent = agentOf(identity, config);
  const workspace = workspaceOf(from.workspace ?? params.cwd, { identity, config, serveCwd });
  const cwd = realDirectory(params.cwd ?? workspace);
  const roots = realRoots(workspace, config);
  return {
    key: uuidv7(),
    ownerId: identity.id,
    proposalId: params.proposalId ?? uuidv7(),
    sessionId: refuseOurs(params.session) ?? uuidv7(),
    agentName: identity.name,
    command: params.command,
    cwd,
    env: checkEnv(params.env ?? {}),
    ...(params.reason === undefined ? {} : { reason: params.reason }),
    runTimeoutMs: params.runTimeoutMs ?? config.tools.timeout,
    profileId: profileOf(identity, config),
    roots,
    attended: !(identity.unattended || (agent?.unattended ?? false)),
    executor: from.executor,
    ...(params.jail === undefined ? {} : { jail: params.jail }),
    attached: from.attached,
    createdAtMs: nowMs,
    bodyHash: bodyHash(params),
    salt: makeSalt(),
    ...(card === undefined ? {} : { card }),
    ...(mustAskReason === undefined ? {} : { mustAskReason }),
    ...(from.handsBack ? { handsBack: true } : {}),
    ...(patienceMs === undefined ? {} : { patienceMs }),
    ...(from.shell === undefined ? {} : { shell: from.shell }),
  };
}

/** Where somebody works who doesn't say it with each proposal: real paths, the workspace first. */
export function rootsOf(
  identity: Identity,
  { config, serveCwd }: Pick<Setting, "config" | "serveCwd">,
  claimed?: string | undefined,
): string[] {
  const workspace = workspaceOf(claimed, { identity, config, serveCwd });
  return [realDirectory(workspace), ...realRoots(workspace, config).slice(1)];
}

/** What the configuration says, or what this user's own agent says itself, or where `serve` was started. */
function workspaceOf(
  claimed: string | undefined,
  { identity, config, serveCwd }: { identity: Identity; config: Config; serveCwd: string },
): string {
  const own = identity.sameUser && claimed !== undefined && mayBeWorkspace(claimed) ? claimed : undefined;
  return agentOf(identity, config)?.workspace ?? own ?? serveCwd;
}

function agentOf({ name }: Identity, { agents }: Config): Config["agents"][string] | undefined {
  return Object.hasOwn(agents, name) ? agents[name] : undefined;
}

/** The agents that the hub runs ask about everything, unless somebody says otherwise; those with a hook have their own. */
export function profileOf(identity: Identity, config: Config): string {
  const agent = agentOf(identity, config);
  const ours = agent?.model !== undefined || identity.name === ASSISTANT;
  return agent?.profile ?? (ours ? ASSISTANT_PROFILE : builtInFor(identity.name));
}

function realRoots(workspace: string, config: Config): string[] {
  return [workspace, ...config.roots].flatMap((root) => realPathAsFarAsItExists(root) ?? []);
}

const SYSTEM = [
  "/etc",
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/boot",
  "/dev",
  "/proc",
  "/sys",
  "/run",
  "/var",
  "/opt",
];

/**
 * A local agent says itself where it works, so not every place counts: with `/`, a home or a system directory as the
 * workspace, nothing would lie outside it.
 */
function mayBeWorkspace(dir: string): boolean {
  const real = realPathAsFarAsItExists(dir);
  if (real === undefined || isInside(homeDirectory(), real)) return false;
  return !SYSTEM.some((system) => isInside(real, system));
}

function readParams(raw: unknown, { isToolCall = false }: Origin): ProposeExecParams {
  const params = readOrRefuse(proposeExecSchema, raw, "Not a proposal: ");
  const { command } = params;
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    throw new HubError("LIMIT", `The command is longer than ${MAX_COMMAND_BYTES} bytes (limit: command)`);
  }
  if (!command.isWellFormed()) throw new HubError("INVALID_PARAMS", "command: isn't valid Unicode");
  // Its text says which it is, for good: what was decided as a call must never be given to a shell, nor the reverse.
  if (isToolCall !== isCall(command)) {
    throw new HubError("INVALID_PARAMS", "command: is a call of an MCP tool or into a sandbox, which no shell can run");
  }
  return params;
}

/** The proposal's own additions, before any policy: a name that could carry a secret in or run code is refused outright. */
function checkEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const name of Object.keys(env)) {
    if (refusedInEnv(name) || isSecretName(name)) {
      throw new HubError("INVALID_PARAMS", `env.${name}: this variable can't be set for a command`);
    }
    // Names are shown as they are.
    if (holdsSecret(name)) throw new HubError("INVALID_PARAMS", `env.${name}: a name holds a secret`);
  }
  return env;
}

function realDirectory(path: string): string {
  const real = realPathAsFarAsItExists(path);
  const stat = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  if (real === undefined || !stat) throw new HubError("INVALID_PARAMS", `cwd: ${path} doesn't exist`);
  if (!stat.isDirectory()) throw new HubError("INVALID_PARAMS", `cwd: ${path} isn't a directory`);
  return real;
}

function bodyHash({ proposalId: _, ...body }: ProposeExecParams): string {
  try {
    return `sha256:${sha256Hex(canonicalize(body))}`;
  } catch (cause) {
    throw new HubError("INVALID_PARAMS", "The proposal holds text that isn't valid Unicode", { cause });
  }
}
