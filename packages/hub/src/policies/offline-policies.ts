import { existsSync, realpathSync } from "node:fs";
import { type Config, type Home, homeAt, readConfig } from "@countersign/core/config";
import type { LayerFile } from "@countersign/policy";
import { openStoreToRead, type StoreReader } from "@countersign/store";
import type { CurrentProfile } from "./active-profiles.ts";
import { defaultProfile } from "./built-in-profiles.ts";
import { organisationPolicy } from "./organisation.ts";
import { Policies } from "./policies.ts";
import { acceptedProfile, inForce, profileIds, readProfileFile } from "./profile-file.ts";

/** A home's policies, looked at from outside. */
export interface OfflinePolicies {
  readonly home: Home;
  readonly config: Config;
  /** Undefined where the home was never served. */
  readonly store: StoreReader | undefined;
  readonly policies: Policies;
  organisation(): readonly LayerFile[];
  /** As it is in force: what the file widens and nobody has allowed doesn't count. */
  profile(profileId: string): Promise<CurrentProfile & { readonly widening?: readonly string[] }>;
  /** Those that have a file, and the default. */
  profileIds(): readonly string[];
  close(): Promise<void>;
}

/** Reads what a hub of this home goes by, with or without one running. Changes nothing. */
export async function openOffline(homeDir: string): Promise<OfflinePolicies> {
  const home = homeAt(existsSync(homeDir) ? realpathSync(homeDir) : homeDir);
  const config = readConfig(home.config);
  const store = await openStoreToRead(home.database);
  const profile: OfflinePolicies["profile"] = async (profileId) => {
    const file = readProfileFile(home.profiles, profileId);
    if (file.kind === "broken") return { ok: false, problem: file.problem };
    if (!store) return { ok: true, profile: file.profile };
    const accepted = (await acceptedProfile(profileId, store)) ?? defaultProfile(profileId);
    return { ok: true, ...inForce(accepted, file.profile) };
  };
  try {
    const { layers } = await organisationPolicy(config.organisation, store, { firstStart: !store });
    const policies = new Policies({ profiles: { current: profile }, store, home, organisation: () => layers });
    return {
      home,
      config,
      store,
      policies,
      organisation: () => layers,
      profile,
      profileIds: () => [...new Set(["default", ...(existsSync(home.profiles) ? profileIds(home.profiles) : [])])],
      close: async () => await store?.close(),
    };
  } catch (cause) {
    await store?.close();
    throw cause;
  }
}
