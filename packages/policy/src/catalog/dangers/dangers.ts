import { CODE_DOINGS } from "./code-doings.ts";
import type { DangerPattern } from "./danger.ts";
import { CLOUD_DANGERS } from "./danger-cloud.ts";
import { CODE_DANGERS } from "./danger-code.ts";
import { CONTAINER_DANGERS } from "./danger-containers.ts";
import { CREDENTIAL_DANGERS } from "./danger-credentials.ts";
import { DATA_DANGERS } from "./danger-data.ts";
import { ESCAPES } from "./danger-escapes.ts";
import { FILE_DANGERS } from "./danger-files.ts";
import { GIT_DANGERS } from "./danger-git.ts";
import { NETWORK_DANGERS } from "./danger-network.ts";
import { OWN_DANGERS } from "./danger-own.ts";
import { PRIVILEGE_DANGERS } from "./danger-privilege.ts";
import { SHELL_DANGERS } from "./danger-shell.ts";
import { SYSTEM_DANGERS } from "./danger-system.ts";
import { REACHES } from "./reaches.ts";
import { SERVICE_DOINGS } from "./service-doings.ts";

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
