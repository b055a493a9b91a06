import { goBool, goInt, goMap, goOptionalUint32, goSlice, goString, goStruct } from "../../wire/go-types.ts";
import { ExecdError } from "../execd-error.ts";
import type { Isolator } from "./isolator.ts";

export const createRequest = goStruct({
  profile: goString,
  workspace: goStruct({ path: goString, mode: goString }),
  extra_writable: goSlice(goString),
  binds: goSlice(goStruct({ source: goString, dest: goString, readonly: goBool })),
  share_net: goBool,
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
  readonly workspace: { readonly path: string; readonly mode: string };
  readonly share_net: boolean;
  readonly env_passthrough?: { readonly mode: string; readonly keys: readonly string[] };
  readonly uid_mode?: string;
  readonly idle_timeout_seconds?: number;
}

const MAX_IDLE_SECONDS = 2_000_000;

/** Throws where it isn't what anybody can have, or not what this execd can give: nothing is left out silently. */
export function planOf(asked: Asked, path: string, isolator: Isolator): SessionPlan {
  const { profile, workspace, share_net, env_passthrough, uid_mode, idle_timeout_seconds: idle } = asked;
  oneOf("workspace.mode", workspace.mode, ["", "rw", "ro", "overlay"]);
  oneOf("profile", profile, ["", "strict", "balanced"]);
  oneOf("env_passthrough.mode", env_passthrough.mode, ["", "allow", "deny"]);
  oneOf("uid_mode", uid_mode, ["", "setpriv", "userns"]);
  if (idle < 0 || idle > MAX_IDLE_SECONDS) throw invalid(`idle_timeout_seconds must be 0 to ${MAX_IDLE_SECONDS}`);
  refuseUnsupported(asked, path, isolator);
  const keys = env_passthrough.keys ?? [];
  return {
    profile: profile || "strict",
    workspace: { path, mode: workspace.mode || "rw" },
    share_net,
    ...(env_passthrough.mode === "" && keys.length === 0
      ? {}
      : { env_passthrough: { mode: env_passthrough.mode || "allow", keys } }),
    ...(uid_mode === "" ? {} : { uid_mode }),
    ...(idle === 0 ? {} : { idle_timeout_seconds: idle }),
  };
}

function refuseUnsupported(asked: Asked, path: string, { workspace, hasNetwork }: Isolator): void {
  const { binds, extra_writable, uid, gid, uid_mode, share_net } = asked;
  if (path !== workspace) throw unsupported(`it isolates its own workspace alone, which is ${workspace}`);
  if (asked.workspace.mode === "overlay") throw unsupported("it has no overlays: the mode is rw or ro");
  if ((binds?.length ?? 0) > 0) throw unsupported("it binds nothing but the workspace");
  if ((extra_writable?.length ?? 0) > 0) throw unsupported("nothing but the workspace and /tmp is writable");
  if (uid !== undefined || gid !== undefined) throw unsupported("a session has one user, that can't be chosen");
  if (uid_mode === "setpriv") throw unsupported("users are those of a user namespace (userns)");
  if (share_net && !hasNetwork) throw unsupported("it has no network that could be shared");
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
