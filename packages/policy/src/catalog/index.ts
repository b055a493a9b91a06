export { CARRIERS, type Carrier } from "./carriers.ts";
export { CODE_RULES, type CodeRule, INLINE_CODE, RUNS_FILE, RUNS_PACKAGE } from "./code.ts";
export {
  COMMAND_TREES,
  type CommandTree,
  DELETERS,
  EXACT,
  PLAIN_OPERANDS,
  RESTRAINTS,
  TAKES_PROGRAM_TEXT,
} from "./command-shapes.ts";
export { CREDENTIALS, type Credential } from "./credentials.ts";
export { CODE_LOADING_NAMES, HARMLESS_NAMES, IGNORES_VARIABLES, RISKY_VARIABLES } from "./environment.ts";
export { FIND_EXEC, FIND_FILE, FIND_FOLLOWS, FIND_PLAIN, FIND_VALUE } from "./find.ts";
export {
  INPUT_SENDERS,
  INPUT_SENDERS_WITH,
  NAME_TOOLS,
  PRINTS_ITS_WORDS,
  REMOTE_KEEPERS,
  SECRET_SEARCH,
  SECRET_VARIABLE,
  SHOWS_ENVIRONMENT,
  SHOWS_ITS_WORDS,
  TAKES_CREDENTIAL,
  TELLS_OF_MACHINE,
  VERSION_FILE,
} from "./leaks.ts";
export { OUTPUTS, type Output } from "./outputs.ts";
export {
  ABOVE_SECRETS,
  BLOCK_DEVICES,
  HARMLESS_DEVICES,
  KEPT,
  MOUNTS,
  NOT_PRIVATE,
  NOT_SYSTEM,
  type PathRule,
  PRECIOUS,
  PRIVATE,
  PUBLIC,
  SYSTEM,
} from "./paths.ts";
export {
  BUILTINS,
  DECLARES,
  DOWNLOADERS,
  HARMLESS_SHELL_OPTIONS,
  INSTALLERS,
  INTERPRETERS,
  NUMBER_TELLERS,
  PYTHON_MODULES,
  READABLE_SHELLS,
  REWRITES_SHELL,
  RUNNERS,
  SENDERS,
  SHELLS,
  SHOWS_ALONE,
  SPECIAL_BUILTINS,
  SWEEPERS,
  WHOLE_OPTIONS,
  WRITERS,
} from "./programs.ts";
export { HOLDS_KEYS, PROJECT_SECRETS, SECRETS, SPELLED_SECRETS, USES_SECRETS } from "./secrets.ts";
export { EXPORTED_NAMES, SHELL_NAMES, ZSH_NAMES } from "./shell-variables.ts";
export { STARTS_CODE } from "./starts-code.ts";
export { ENGINE_VERSION, TABLES } from "./tables.ts";
export { LOADS_NOTHING, TELLERS } from "./versions.ts";
export { WRAPPERS, type Wrapper } from "./wrappers.ts";
