import { resolve } from "node:path";
import { explainOffline } from "@countersign/hub";
import { type GlobalOptions, homeDirOf } from "../base/index.ts";
import { asCliError } from "../hub-errors/index.ts";

interface Where extends GlobalOptions {
  readonly cwd?: string;
  readonly profile?: string;
}

/** By the home's own policies. A file of its own: who needs no home doesn't load what reads one. */
export async function explainHere(command: string, options: Where): ReturnType<typeof explainOffline> {
  const cwd = resolve(options.cwd ?? ".");
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  try {
    return await explainOffline({ command, cwd, ...profile }, homeDirOf(options));
  } catch (cause) {
    throw asCliError(cause);
  }
}
