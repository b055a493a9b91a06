import { ARMS } from "./tables/arms.ts";
import { CARRIERS } from "./tables/carriers.ts";
import * as code from "./tables/code.ts";
import { CREDENTIALS } from "./tables/credentials.ts";
import { DANGER_PATTERNS } from "./tables/dangers.ts";
import * as environment from "./tables/environment.ts";
import { FIND_EXEC, FIND_FILE, FIND_FOLLOWS, FIND_PLAIN, FIND_VALUE } from "./tables/find.ts";
import { OUTPUTS } from "./tables/outputs.ts";
import * as paths from "./tables/paths.ts";
import * as programs from "./tables/programs.ts";
import * as secrets from "./tables/secrets.ts";
import { SERVICES } from "./tables/services.ts";
import * as shapes from "./tables/shapes.ts";
import * as startsCode from "./tables/starts-code.ts";
import { TOOLS } from "./tables/tools.ts";
import * as variables from "./tables/variables.ts";
import { LOADS_NOTHING, TELLERS } from "./tables/versions.ts";
import { WRAPPERS } from "./tables/wrappers.ts";

/** Raised when the engine may classify a command differently with the same tables. On every receipt. */
export const ENGINE_VERSION = "7";

/** All that the engine goes by, as plain data: its hash names the rules under which a decision was made. */
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
