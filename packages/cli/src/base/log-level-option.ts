import { Option } from "commander";

export function logLevelOption(): Option {
  return new Option("--log-level <level>", "what to log to stderr").choices(["error", "warn", "info"]).default("warn");
}
