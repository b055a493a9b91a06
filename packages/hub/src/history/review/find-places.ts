import type { Config } from "@countersign/core/config";
import type { Store } from "@countersign/store";

/** Looked at for where commands ran. */
const RECENT = 100;
const MAX_PLACES = 50;

interface Rooms {
  readonly store: Pick<Store, "newestEnded">;
  readonly serveCwd: string;
  readonly config: Config;
}

/** Directories whose policy somebody may want to see: where the hub and its agents work, and where something ran lately. */
export async function findPlaces({ store, serveCwd, config }: Rooms, more: readonly string[]): Promise<string[]> {
  const workspaces = Object.values(config.agents).flatMap(({ workspace }) => workspace ?? []);
  const recent = await store.newestEnded({ sinceMs: 0, limit: RECENT });
  const found = [serveCwd, ...workspaces, ...config.roots, ...recent.map(({ cwd }) => cwd), ...more];
  return [...new Set(found)].slice(0, MAX_PLACES);
}
