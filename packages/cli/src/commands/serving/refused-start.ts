import { StartError } from "@countersign/core/errors";
import { CliError } from "../../base/index.ts";

/** A start that was refused, as the sentence that the user is told. */
export function asRefusedStart(cause: unknown): never {
  if (cause instanceof StartError)
    throw new CliError({ server: cause.code }, `${cause.message} (${cause.code})`, { cause });
  throw cause;
}
