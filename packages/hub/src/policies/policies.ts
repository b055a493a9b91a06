import { sha256Hex } from "@countersign/core/base";
import {
  type Classification,
  type EffectiveProfile,
  ENGINE_VERSION,
  effectiveProfile,
  type LayerFile,
  type Profile,
  TABLES,
} from "@countersign/policy";
import { canonicalize, type Json } from "@countersign/receipts";
import type { Store } from "@countersign/store";
import type { CurrentProfile } from "./active-profiles.ts";
import { idOf } from "./profile-edit.ts";
import { profilePath } from "./profile-file.ts";
import { type RepositoryFile, RepositoryFiles, trustIn } from "./repositories.ts";

export type CurrentPolicy =
  | ({ readonly ok: true; readonly layers: readonly LayerFile[] } & EffectiveProfile)
  | { readonly ok: false; readonly problem: string };

/** Reads profiles as they are in force. */
interface ProfileReader {
  current(profileId: string): Promise<CurrentProfile>;
}

/** Where a policy is asked for. */
interface Place {
  readonly profileId: string;
  readonly cwd: string;
}

const MAX_CACHED = 256;

/** What applies to a proposal: its profile, with the organisation's and the repository's policy over it. */
export class Policies {
  readonly #profiles: ProfileReader;
  readonly #profilesDir: string;
  readonly #organisation: () => readonly LayerFile[];
  readonly #store: Pick<Store, "setting"> | undefined;
  readonly #repositories: RepositoryFiles;
  /** A profile with the same layers is the same object: its entries are compiled once, and its version computed once. */
  readonly #effective = new WeakMap<Profile, Map<string, EffectiveProfile>>();

  /** `store` is undefined where nothing was ever served. */
  constructor(options: {
    readonly home: { readonly dir: string; readonly profiles: string };
    readonly profiles: ProfileReader;
    readonly organisation: () => readonly LayerFile[];
    readonly store: Pick<Store, "setting"> | undefined;
  }) {
    this.#profiles = options.profiles;
    this.#profilesDir = options.home.profiles;
    this.#organisation = options.organisation;
    this.#store = options.store;
    this.#repositories = new RepositoryFiles(options.home.dir);
  }

  /** Repositories count by where the command is proposed and by where its parts run. */
  async of({ profileId, cwd }: Place, classification?: Classification): Promise<CurrentPolicy> {
    const reading = await this.#profiles.current(profileId);
    if (!reading.ok) return reading;
    const repositories = this.#repositories.find([cwd, ...directoriesOf(classification)]);
    const broken = repositories.find(({ reading: { ok } }) => !ok)?.reading;
    if (broken && !broken.ok) return { ok: false, problem: `What it denies can't be known: ${broken.problem}` };
    const layers = [
      ...this.#organisation(),
      ...(await Promise.all(repositories.map((one) => this.#layerOf(one)))).flat(),
    ];
    return { ok: true, layers, ...this.#combine(profileId, reading.profile, layers) };
  }

  async #layerOf({ directory, file, reading }: RepositoryFile): Promise<LayerFile[]> {
    if (!reading.ok) return [];
    const { block, sha256 } = reading;
    // Most deny only, and nobody has to be asked for those.
    const trust = block.allowlist.length > 0 && this.#store ? await trustIn(directory, this.#store) : undefined;
    return [{ layer: "repository", file, block, trusted: trust?.sha256 === sha256 }];
  }

  #combine(profileId: string, profile: Profile, layers: readonly LayerFile[]): EffectiveProfile {
    const cache = this.#effective.get(profile) ?? new Map<string, EffectiveProfile>();
    this.#effective.set(profile, cache);
    const key = JSON.stringify(layers.map(({ file, block, trusted }) => [file, trusted, versionOf(block)]));
    const known = cache.get(key);
    if (known) return known;
    const user = { file: profilePath(this.#profilesDir, profileId), profile };
    const made = effectiveProfile(user, layers, idOf);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, made);
    return made;
  }
}

/** Where parts run, and where a `cd` leads whose end isn't certain. */
function directoriesOf(classification: Classification | undefined): string[] {
  const found = (classification?.parts ?? []).flatMap(({ directory, words, effects }) => [
    directory,
    ...(words[0] === "cd" || words[0] === "pushd" ? effects.map(({ target }) => target) : []),
  ]);
  return [...new Set(found)].filter((path) => path?.startsWith("/")) as string[];
}

const versions = new WeakMap<object, string>();

function versionOf(block: LayerFile["block"]): string {
  const version = versions.get(block) ?? sha256Hex(canonicalize(block as unknown as Json));
  versions.set(block, version);
  return version;
}

const TABLES_HASH = sha256Hex(canonicalize(TABLES));

const known = new WeakMap<Profile, string>();

/** Names everything that a decision depends on, so that a permit made under another policy is noticed. */
export function policyVersion(profile: Profile): string {
  const version = known.get(profile) ?? compute(profile);
  // A profile object never changes: an edit is read into a new one.
  known.set(profile, version);
  return version;
}

function compute(profile: Profile): string {
  return `sha256:${sha256Hex(canonicalize({ engine: ENGINE_VERSION, tables: TABLES_HASH, profile }))}`;
}
