import { CliError } from "./cli-error.ts";
import { ourName } from "./invocation.ts";

export function noHub(homeDir: string, cause?: unknown): CliError {
  return new CliError("NO_HUB", `No hub is running for ${homeDir}. Start one with \`${ourName()} serve\`.`, { cause });
}
