import {
  goAboutInt,
  goBool,
  goInt,
  goMap,
  goOptionalBool,
  goOptionalUint32,
  goSlice,
  goString,
  goStruct,
} from "../../wire/index.ts";

/** The bodies that execd decodes, with the fields that matter here. Embedded structs are flat, as in Go. */
export const runCommand = goStruct({
  command: goString,
  argv: goSlice(goString),
  cwd: goString,
  background: goBool,
  timeout: goAboutInt,
  uid: goOptionalUint32,
  gid: goOptionalUint32,
  envs: goMap(goString),
});
export const runInSession = goStruct({ command: goString, cwd: goString, timeout: goAboutInt });
export const runIsolated = goStruct({
  ...{ code: goString, cwd: goString, envs: goMap(goString) },
  ...{ background: goBool, timeout_seconds: goAboutInt },
});
export const runCode = goStruct({
  context: goStruct({ id: goString, language: goString, cwd: goString }),
  code: goString,
});
export const createSession = goStruct({ cwd: goString });
export const createIsolated = goStruct({
  workspace: goStruct({ path: goString, mode: goString }),
  ...{ profile: goString, share_net: goOptionalBool, idle_timeout_seconds: goAboutInt },
  env_passthrough: goStruct({ mode: goString, keys: goSlice(goString) }),
  ...{
    extra_writable: goSlice(goString),
    binds: goSlice(goStruct({ source: goString, dest: goString, readonly: goBool })),
  },
  ...{ uid: goOptionalUint32, gid: goOptionalUint32, uid_mode: goString },
});
export const createContext = goStruct({ language: goString, cwd: goString });
export const openPty = goStruct({ cwd: goString, command: goString });

const permission = goStruct({ owner: goString, group: goString, mode: goInt });
export const permissions = goMap(permission);
export const replacements = goMap(goStruct({ old: goString, new: goString }));
const move = goStruct({ src: goString, dest: goString });
export const moves = goSlice(move);
export const fileMetadata = goStruct({ path: goString, owner: goString, group: goString, mode: goInt });
