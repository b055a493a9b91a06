export { asCliError } from "./as-cli-error.ts";
export { hubLog, type LogLevel } from "./hub-log.ts";
