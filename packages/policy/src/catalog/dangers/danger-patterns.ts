import { CLOUD_DANGERS } from "./cloud.ts";
import { CODE_DANGERS } from "./code.ts";
import { REACHES } from "./code-options.ts";
import { CONTAINER_DANGERS } from "./containers.ts";
import { OWN_DANGERS } from "./countersign.ts";
import { CREDENTIAL_DANGERS } from "./credentials.ts";
import type { DangerPattern } from "./danger-pattern.ts";
import { DATA_DANGERS } from "./data.ts";
import { CODE_DOINGS } from "./development.ts";
import { FILE_DANGERS } from "./files.ts";
import { GIT_DANGERS } from "./git.ts";
import { NETWORK_DANGERS } from "./network.ts";
import { PRIVILEGE_DANGERS } from "./privilege.ts";
import { ESCAPES } from "./program-options.ts";
import { SERVICE_DOINGS } from "./services.ts";
import { SHELL_DANGERS } from "./shell.ts";
import { SYSTEM_DANGERS } from "./system.ts";

export const DANGER_PATTERNS: readonly DangerPattern[] = [
  ...FILE_DANGERS,
  ...SYSTEM_DANGERS,
  ...OWN_DANGERS,
  ...PRIVILEGE_DANGERS,
  ...NETWORK_DANGERS,
  ...CREDENTIAL_DANGERS,
  ...GIT_DANGERS,
  ...CONTAINER_DANGERS,
  ...CLOUD_DANGERS,
  ...DATA_DANGERS,
  ...CODE_DANGERS,
  ...SHELL_DANGERS,
  ...ESCAPES,
  ...REACHES,
  ...CODE_DOINGS,
  ...SERVICE_DOINGS,
];
