import { homedir } from "node:os";
import type { JailCut } from "./cut-jail.ts";
import { JailError } from "./jail-error.ts";
import type { PlaceStep } from "./jail-view.ts";
import { findPlaces } from "./places/find-places.ts";
import { maskedNames } from "./places/masked-names.ts";
import { hidePlaces, pinPlaces } from "./places/pin-places.ts";
import { PlaceIndex } from "./places/place-index.ts";
import type { Held, Placeholders } from "./places/placeholders.ts";
import type { Places } from "./places/places.ts";

/** A workspace as one run gets it. */
export interface PreparedWorkspace {
  /** What the jail does in it, in order. */
  readonly steps: readonly PlaceStep[];
  release(): void;
}

/** Looks at workspaces before a run: what is hidden in them, and what a run that may write must not touch. */
export class Workspaces {
  readonly #index = new PlaceIndex();
  readonly #placeholders: Placeholders;

  constructor(placeholders: Placeholders) {
    this.#placeholders = placeholders;
  }

  async prepare(root: string, cut: JailCut): Promise<PreparedWorkspace> {
    const places = await this.#look(root);
    if (cut.kind === "read-only" || cut.kind === "read-only+network") {
      return { steps: hidePlaces(root, places), release: () => undefined };
    }
    const { writes, opensGit } = cut;
    const held = this.#hold(maskedNames({ root, places, writes, opensGit }));
    try {
      const now = isKnown(held, places) ? places : await this.#look(root);
      const { steps } = pinPlaces({ root, places: now, writes, opensGit, masks: held.masks });
      return { steps, release: () => held.release() };
    } catch (cause) {
      held.release();
      throw cause;
    }
  }

  #hold(names: readonly string[]): Held {
    try {
      return this.#placeholders.hold(names);
    } catch (cause) {
      throw new JailError("STATE_UNWRITABLE", `Places that start code can't be held (${String(cause)})`, { cause });
    }
  }

  #look(root: string): Promise<Places> {
    return findPlaces(root, { home: homedir(), index: this.#index });
  }
}

/** False when something came to stand at a masked name since the look: it must be pinned like what stood there before. */
function isKnown({ existing }: Held, { startsCode, gitDirectories }: Places): boolean {
  const known = new Set([...startsCode, ...gitDirectories]);
  return existing.every((path) => known.has(path));
}
