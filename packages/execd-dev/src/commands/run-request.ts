import { goBool, goInt, goMap, goOptionalUint32, goString, goStruct } from "@countersign/sandbox";

export const runRequest = goStruct({
  command: goString,
  cwd: goString,
  background: goBool,
  timeout: goInt,
  uid: goOptionalUint32,
  gid: goOptionalUint32,
  envs: goMap(goString),
});

export type RunRequest = ReturnType<typeof runRequest.zero>;
