import { isInside, kindAt, realPath } from "@countersign/core/host/fs";
import { type Ids, isWithinReach, type PlaceStep } from "../plan/index.ts";

export interface HiddenPathsOptions {
  /** Countersign's own home. */
  readonly ownHome: string;
  readonly dropped: Ids | undefined;
  /** Both give back the same list until they have looked again. */
  systemSecrets(): readonly HiddenPath[];
  hostSockets(): readonly string[];
}

/** What of the machine is hidden in every jail: its secrets, its sockets, and our own home. Each costs bwrap a mount. */
export class HiddenPaths {
  readonly #facts: HiddenPathsOptions;
  #known: { readonly of: readonly (readonly unknown[])[]; readonly near: Map<string, boolean> } | undefined;

  constructor(facts: HiddenPathsOptions) {
    this.#facts = facts;
  }

  /** In a jail that shows these trees to its user as its own. */
  within(trees: readonly string[]): HiddenPath[] {
    const { ownHome, systemSecrets, hostSockets } = this.#facts;
    const lists = [systemSecrets(), hostSockets()] as const;
    const isNear = this.#reach(lists);
    const counts = (path: string) => trees.some((tree) => isInside(path, tree)) || isNear(path);
    // A socket may be gone since the last look, and what is gone can't be covered.
    const sockets = [ownHome, ...lists[1]].filter(counts).flatMap((path) => hiddenPathAt(path) ?? []);
    return [...lists[0].filter(({ path }) => counts(path)), ...sockets];
  }

  /** Looked up once for each path of these lists. */
  #reach(lists: readonly (readonly unknown[])[]): (path: string) => boolean {
    const isSame = this.#known?.of.every((list, at) => list === lists[at]);
    const { near } = this.#known && isSame ? this.#known : { near: new Map<string, boolean>() };
    this.#known = { of: lists, near };
    return (path) => {
      const known = near.get(path) ?? isWithinReach(path, this.#facts.dropped);
      near.set(path, known);
      return known;
    };
  }
}

export type HiddenPath = Extract<PlaceStep, { readonly do: "hide" }>;

/**
 * How to hide what stands at a path; undefined when nothing does. A link can't be covered: what it leads to is, since that
 * holds the contents.
 */
export function hiddenPathAt(path: string): HiddenPath | undefined {
  const at = realPath(path);
  const kind = at === undefined ? undefined : kindAt(at);
  if (at === undefined || kind === undefined) return undefined;
  return { do: "hide", path: at, kind: kind === "directory" ? "directory" : "file" };
}
