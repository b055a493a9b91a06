import { type LayeredEntry, type LayerFile, type Origin, profileSchema, type Settings } from "@countersign/policy";
import type { PolicyView, ViewedEntry } from "@countersign/protocol/policy";
import type { EntryUse, Store } from "@countersign/store";
import { type Faults, findFaults } from "./entry-faults.ts";
import type { OfflinePolicies } from "./offline-policies.ts";
import { profilePath } from "./profile-file.ts";

/** Where a view is made from: a home, with or without a hub. */
export interface ViewSource extends Pick<OfflinePolicies, "policies" | "profile"> {
  readonly home: Pick<OfflinePolicies["home"], "profiles">;
  readonly store: Pick<Store, "entryUses" | "grants"> | undefined;
}

type TemporaryEntry = PolicyView["temporary"][number];

export interface ViewWish {
  readonly profileId: string;
  /** With the other layers, as they apply in `cwd`; else the profile alone. */
  readonly effective: boolean;
  readonly cwd: string;
  readonly nowMs: number;
}

/** A policy for people: every setting and entry with where it comes from, who made it and how often it was used. */
export async function viewPolicy(offline: ViewSource, wish: ViewWish): Promise<PolicyView | { problem: string }> {
  const { profileId, effective, cwd, nowMs } = wish;
  const own = await offline.profile(profileId);
  if (!own.ok) return { problem: own.problem };
  const policy = await offline.policies.of({ profileId, cwd });
  if (!policy.ok) return { problem: policy.problem };
  const uses = new Map((await offline.store?.entryUses(profileId))?.map((use) => [use.entryId, use]));
  const { allowlist, denylist } = policy.profile;
  const faults = findFaults(policy.profile, { uses, nowMs });
  const from = (list: "allow" | "deny") => (entry: LayeredEntry) => viewEntry(entry, { list, uses, faults, nowMs });
  const all = [...denylist.map(from("deny")), ...allowlist.map(from("allow"))];
  const user = { layer: "user", file: profilePath(offline.home.profiles, profileId), ...frozenNote(own.widening) };
  const settings = Object.entries(policy.origins) as [keyof Settings, Origin][];
  const defaults = profileSchema.parse({});
  return {
    profile: profileId,
    layers: effective ? [...policy.layers.map(viewLayer), user] : [user],
    settings: settings.map(([key, origin]) =>
      effective
        ? { key, value: policy.profile[key], ...origin }
        : { key, value: own.profile[key], layer: own.profile[key] === defaults[key] ? "default" : "user" },
    ),
    grants: own.profile.grants.map((grant) => ({ ...grant, hits: uses.get(grant.id ?? "")?.hits ?? 0 })),
    temporary: await viewTemporary(offline, { profileId, nowMs, uses }),
    entries: effective ? [...all, ...untrusted(policy.layers)] : all.filter(({ layer }) => layer === "user"),
  };
}

async function viewTemporary(
  { store }: ViewSource,
  { profileId, nowMs, uses }: { profileId: string; nowMs: number; uses: ReadonlyMap<string, EntryUse> },
): Promise<TemporaryEntry[]> {
  const records = (await store?.grants()) ?? [];
  const live = records.filter((record) => record.profileId === profileId && record.expiresAtMs > nowMs);
  return live.map(({ id, sessionId, atMs, expiresAtMs, kind, body }) => {
    const { command, pattern, root, by, why, directory } = body;
    const told = Object.entries({ by, why, directory }).filter(([, value]) => typeof value === "string");
    const text = String(command ?? pattern ?? root);
    return { id, sessionId, atMs, expiresAtMs, kind, text, hits: uses.get(id)?.hits ?? 0, ...Object.fromEntries(told) };
  });
}

function viewLayer({ layer, file, trusted, block }: LayerFile): PolicyView["layers"][number] {
  const note = trusted || block.allowlist.length === 0 ? {} : { note: "what it allows isn't trusted" };
  return { layer, file, ...note };
}

function frozenNote(widening: readonly string[] = []): { readonly note?: string } {
  return widening.length === 0 ? {} : { note: `what the file widens is frozen: ${widening.join("; ")}` };
}

interface Viewing {
  readonly list: ViewedEntry["list"];
  readonly uses: ReadonlyMap<string, EntryUse>;
  readonly faults: ReadonlyMap<string, Faults>;
  readonly nowMs: number;
}

function viewEntry(entry: LayeredEntry, { list, uses, faults, nowMs }: Viewing): ViewedEntry {
  const { id = "", pattern, layer, file, by, atMs, why, ceiling, expiresAtMs, directory, command, code } = entry;
  const use = uses.get(id);
  const found = faults.get(id);
  const expired = expiresAtMs !== undefined && expiresAtMs <= nowMs ? ({ idle: "expired" } as const) : {};
  const stated = { by, atMs, why, ceiling, expiresAtMs, directory, command, code };
  const known = Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined));
  return {
    list,
    id,
    pattern,
    layer,
    file,
    ...known,
    hits: use?.hits ?? 0,
    lastUsedAtMs: use?.lastUsedAtMs ?? null,
    ...expired,
    ...(found === undefined ? {} : { faults: found }),
  };
}

function untrusted(layers: readonly LayerFile[]): ViewedEntry[] {
  return layers
    .filter(({ trusted }) => !trusted)
    .flatMap(({ layer, file, block }) =>
      block.allowlist.map(({ pattern, why }) => ({
        ...({ list: "allow", id: "", pattern, layer, file, hits: 0, lastUsedAtMs: null, idle: "untrusted" } as const),
        ...(why === undefined ? {} : { why }),
      })),
    );
}
