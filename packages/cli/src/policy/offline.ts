import { type OfflinePolicies, openOffline } from "@countersign/hub";
import { CliError, EXIT, type GlobalOptions, homeDirOf } from "../base/index.ts";
import { asCliError } from "../hub-errors/index.ts";

/** Looks at the home's policies, with or without a hub. */
export async function withOffline<T>(
  options: GlobalOptions,
  work: (offline: OfflinePolicies) => Promise<T>,
): Promise<T> {
  if (options.url !== undefined) {
    const why = "This command reads the home's own files";
    throw new CliError("URL_REFUSED", `${why}: run it where the hub runs, without --url.`, { exitCode: EXIT.usage });
  }
  try {
    const offline = await openOffline(homeDirOf(options));
    try {
      return await work(offline);
    } finally {
      await offline.close();
    }
  } catch (cause) {
    throw asCliError(cause);
  }
}

/** Refuses a profile that isn't there: nothing would be wrong with it, and nothing right. */
export function knownProfile({ profileIds }: OfflinePolicies, profile: string): string {
  if (profileIds().includes(profile)) return profile;
  throw new CliError("NOT_FOUND", `There's no profile ${profile}. There are: ${profileIds().join(", ")}.`);
}
