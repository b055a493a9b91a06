import { filterSecrets } from "../redaction/index.ts";

/**
 * Why the process refuses to start, and what to do about it.
 * HOME_UNWRITABLE, CONFIG_INVALID, PROFILE_INVALID, ALREADY_RUNNING, STORE_UNUSABLE, PORT_IN_USE, PORT_REFUSED,
 * SHELL_MISSING, TOKEN_INVALID: the message says which file, field or port.
 */
export class StartError extends Error {
  readonly code:
    | "HOME_UNWRITABLE"
    | "CONFIG_INVALID"
    | "PROFILE_INVALID"
    | "ALREADY_RUNNING"
    | "STORE_UNUSABLE"
    | "PORT_IN_USE"
    | "PORT_REFUSED"
    | "SHELL_MISSING"
    | "TOKEN_INVALID";
  constructor(code: StartError["code"], message: string, options?: ErrorOptions) {
    // Parsers quote the file that they stumbled over.
    super(filterSecrets(message), options);
    this.name = "StartError";
    this.code = code;
  }
}
