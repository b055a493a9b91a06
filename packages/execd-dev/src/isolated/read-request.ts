import {
  goBool,
  goInt,
  goMap,
  goOptionalBool,
  goOptionalUint32,
  goSlice,
  goString,
  goStruct,
} from "@countersign/sandbox";
import { ExecdError } from "../http/index.ts";
import type { Isolator, WorkspaceMode } from "./isolator.ts";

export const createRequest = goStruct({
  profile: goString,
  workspace: goStruct({ path: goString, mode: goString }),
  extra_writable: goSlice(goString),
  binds: goSlice(goStruct({ source: goString, dest: goString, readonly: goBool })),
  share_net: goOptionalBool,
  env_passthrough: goStruct({ mode: goString, keys: goSlice(goString) }),
  ...{ uid: goOptionalUint32, gid: goOptionalUint32, uid_mode: goString },
  idle_timeout_seconds: goInt,
});
export const runRequest = goStruct({
  ...{ code: goString, cwd: goString, envs: goMap(goString) },
  ...{ background: goBool, timeout_seconds: goInt },
});

type Asked = ReturnType<(typeof createRequest)["zero"]>;

/** What a session was made with, in the form in which it is told to whoever asks for it. */
export interface SessionPlan {
  readonly profile: string;
  readonly workspace: { readonly path: string; readonly mode: WorkspaceMode };
  readonly extra_writable?: readonly string[];
  readonly binds?: readonly { readonly source: string; readonly dest?: string; readonly readonly: boolean }[];
  readonly share_net: boolean;
  readonly env_passthrough?: { readonly mode: string; readonly keys: readonly string[] };
  readonly uid?: number;
  readonly gid?: number;
  readonly uid_mode?: string;
  readonly idle_timeout_seconds?: number;
}

const MAX_IDLE_SECONDS = 2_000_000;
/** What bubblewrap takes for a number. */
const MAX_ID = 0x7fff_ffff;

/**
 * Throws where it isn't what anybody can have, or not what this execd can give: nothing is left out silently. `pathOf` puts in what a path
 * leaves to execd.
 */
export function planOf(asked: Asked, pathOf: (asked: string) => string, isolator: Isolator): SessionPlan {
  const { profile, workspace, share_net = false, env_passthrough, idle_timeout_seconds: idle } = asked;
  const mode = workspace.mode === "" ? "overlay" : workspace.mode;
  if (mode !== "rw" && mode !== "ro" && mode !== "overlay") throw invalid("workspace.mode must be rw, ro, overlay");
  oneOf("profile", profile, ["", "strict", "balanced"]);
  oneOf("env_passthrough.mode", env_passthrough.mode, ["", "allow", "deny"]);
  if (idle < 0 || idle > MAX_IDLE_SECONDS) throw invalid(`idle_timeout_seconds must be 0 to ${MAX_IDLE_SECONDS}`);
  if (share_net && !isolator.hasNetwork) throw unsupported("it has no network that could be shared");
  const keys = env_passthrough.keys ?? [];
  return {
    profile: profile || "strict",
    workspace: { path: pathOf(workspace.path), mode },
    ...mountsOf(asked, pathOf),
    share_net,
    ...(env_passthrough.mode === "" && keys.length === 0
      ? {}
      : { env_passthrough: { mode: env_passthrough.mode || "allow", keys } }),
    ...idsOf(asked, isolator),
    ...(idle === 0 ? {} : { idle_timeout_seconds: idle }),
  };
}

export function refuseTooMany({ binds, extra_writable }: Asked, most: number): void {
  if ((binds?.length ?? 0) + (extra_writable?.length ?? 0) <= most) return;
  const message = `a session has at most ${most} binds and extra_writable together`;
  throw new ExecdError(413, "TOO_MANY_MOUNTS", message);
}

function mountsOf(asked: Asked, pathOf: (asked: string) => string): Pick<SessionPlan, "binds" | "extra_writable"> {
  const [binds, extra] = [asked.binds ?? [], asked.extra_writable ?? []];
  for (const [at, { source, dest }] of binds.entries()) {
    if (!source.startsWith("/")) throw invalid(`binds[${at}].source must be an absolute path`);
    if (dest !== "" && !dest.startsWith("/")) throw invalid(`binds[${at}].dest must be an absolute path`);
  }
  if (extra.includes("")) throw invalid("extra_writable must name directories");
  return {
    ...(extra.length === 0 ? {} : { extra_writable: extra.map(pathOf) }),
    ...(binds.length === 0
      ? {}
      : {
          binds: binds.map(({ source, dest, readonly }) => ({
            source: pathOf(source),
            ...(dest && { dest }),
            readonly,
          })),
        }),
  };
}

/** Another user of the machine would come with all that is this user's on it: only its number can be chosen, in a namespace of users. */
function idsOf({ uid, gid, uid_mode }: Asked, { ids }: Isolator): Pick<SessionPlan, "uid" | "gid" | "uid_mode"> {
  oneOf("uid_mode", uid_mode, ["", "setpriv", "userns"]);
  for (const [name, id] of Object.entries({ uid, gid }))
    if (id !== undefined && id > MAX_ID) throw invalid(`${name} must be 0 to ${MAX_ID}`);
  const isAnother = (uid ?? ids.uid) !== ids.uid || (gid ?? ids.gid) !== ids.gid;
  if (uid_mode === "setpriv" && isAnother)
    throw unsupported("it becomes no other user of this machine; with uid_mode userns a session can have any number");
  const mode = uid_mode === "" && (uid !== undefined || gid !== undefined) ? "userns" : uid_mode;
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    ...(mode === "" ? {} : { uid_mode: mode }),
  };
}

/** A session's variables: nothing of the server's but what it asks for by name, or doesn't want to be spared. */
export function passedThrough(
  { env_passthrough: asked }: SessionPlan,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  if (!asked) return {};
  const isNamed = (name: string) => asked.keys.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isNamed(name) === (asked.mode === "allow")));
}

function oneOf(field: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw invalid(`${field} must be ${known.slice(1).join(", ")}`);
}

export function invalid(reason: string): ExecdError {
  return new ExecdError(400, "INVALID_REQUEST_BODY", `invalid request. ${reason}`);
}

export function unsupported(why: string): ExecdError {
  return new ExecdError(503, "NOT_SUPPORTED", `this execd can't do that: ${why}`);
}
