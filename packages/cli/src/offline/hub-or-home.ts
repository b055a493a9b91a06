import { CliError, type GlobalOptions } from "../base/index.ts";
import { findHub, type HttpHub } from "../connect/index.ts";
import { asCliError } from "../hub-errors/index.ts";

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
