import { CARRIERS } from "./carriers.ts";
import * as code from "./code.ts";
import * as shapes from "./command-shapes.ts";
import { CREDENTIALS } from "./credentials.ts";
import { DANGER_PATTERNS } from "./dangers/index.ts";
import * as environment from "./environment.ts";
import { FIND_EXEC, FIND_FILE, FIND_FOLLOWS, FIND_PLAIN, FIND_VALUE } from "./find.ts";
import { OUTPUTS } from "./outputs.ts";
import * as paths from "./paths.ts";
import { ARMS, SERVICES } from "./places/index.ts";
import * as programs from "./programs.ts";
import * as secrets from "./secrets.ts";
import * as variables from "./shell-variables.ts";
import * as startsCode from "./starts-code.ts";
import { TOOLS } from "./tools/index.ts";
import { LOADS_NOTHING, TELLERS } from "./versions.ts";
import { WRAPPERS } from "./wrappers.ts";

/** Incremented if the engine may classify a command differently with the same data. On every receipt. */
export const ENGINE_VERSION = "7";

/** All data of the engine. Its hash names the rules under which a decision was made. */
export const TABLES = {
  tools: TOOLS,
  tellers: TELLERS,
  loadsNothing: LOADS_NOTHING,
  wrappers: WRAPPERS,
  carriers: CARRIERS,
  dangers: DANGER_PATTERNS,
  find: { plain: FIND_PLAIN, value: FIND_VALUE, file: FIND_FILE, exec: FIND_EXEC, follows: FIND_FOLLOWS },
  environment: { ...environment },
  outputs: OUTPUTS,
  arms: ARMS,
  paths: { ...paths, ...secrets, ...startsCode },
  programs: { ...programs },
  variables: { ...variables },
  shapes: { ...shapes },
  code: { ...code },
  credentials: CREDENTIALS,
  services: SERVICES,
} as const;
