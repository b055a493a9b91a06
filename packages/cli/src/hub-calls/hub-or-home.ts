import { CliError } from "../base/cli-error.ts";
import type { GlobalOptions } from "../base/settings.ts";
import { findHub, type HttpHub } from "../connect/find-hub.ts";
import { asCliError } from "../hub-errors/as-cli-error.ts";

/** Undefined where none runs for the home: then the home is held and changed as a hub would, see `offline`. */
export async function hubIfAny(options: GlobalOptions): Promise<HttpHub | undefined> {
  try {
    return await findHub(options);
  } catch (cause) {
    if (cause instanceof CliError && cause.code === "NO_HUB") return undefined;
    throw cause;
  }
}

export async function offline<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw asCliError(cause);
  }
}
