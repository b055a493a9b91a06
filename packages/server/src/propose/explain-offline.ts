import { existsSync, realpathSync } from "node:fs";
import type { Explanation } from "@countersign/policy";
import type { ExplainParams } from "@countersign/sdk";
import { systemClock } from "../clock.ts";
import { readConfig } from "../config.ts";
import { homeAt } from "../home.ts";
import { TrustedPath } from "../machine/trusted-path.ts";
import type { CurrentProfile } from "../profiles/active-profiles.ts";
import { profileIds, readProfileFile } from "../profiles/profile-file.ts";
import { explainCommand } from "./explain.ts";

/**
 * The same without a hub. It goes by the files as they are, also where a hub holds an edit of them frozen. A directory
 * that can't be a workspace (`/`, a home) then lies outside of every one: where a hub was started, nobody knows.
 */
export async function explainOffline(
  params: ExplainParams & { readonly cwd: string },
  homeDir: string,
): Promise<Explanation> {
  const home = homeAt(existsSync(homeDir) ? realpathSync(homeDir) : homeDir);
  const config = readConfig(home.config);
  const current = (profileId: string): CurrentProfile => {
    const file = readProfileFile(home.profiles, profileId);
    return file.kind === "read" ? { ok: true, profile: file.profile } : { ok: false, problem: file.problem };
  };
  const rooms = {
    profiles: { current: (profileId: string) => Promise.resolve(current(profileId)) },
    profileIds: () => (existsSync(home.profiles) ? profileIds(home.profiles) : []),
    clock: systemClock,
    protectedPaths: [home.dir],
    trustedPath: new TrustedPath(process.env.PATH, [...config.roots, home.dir]),
  };
  return await explainCommand(params, rooms, { config: () => config, serveCwd: home.dir, clock: systemClock });
}
