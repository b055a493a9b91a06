import { filterSecrets } from "@countersign/core/redaction";
import type { FileChange } from "@countersign/protocol/proposals";
import { type Compared, compareFiles } from "./compare-files.ts";

export interface Changes {
  /** By path. */
  readonly changes: readonly FileChange[];
  readonly counts: { readonly created: number; readonly changed: number; readonly deleted: number };
  /** There is more than was listed, compared or looked at. */
  readonly truncated: boolean;
}

const MOST_LISTED = 1_000;
/** Of a tree that was made or removed as a whole: it must not push the rest off the list. */
const MOST_OF_TREE = 100;
const MOST_DIFFS = 100;
const MOST_DIFF_CHARACTERS = 256 * 1024;

/** How much of one tree may still be listed. */
export interface TreeQuota {
  left: number;
}

export function treeQuota(): TreeQuota {
  return { left: MOST_OF_TREE };
}

/** What changed, as far as somebody could read it; the rest is counted. */
export class ChangeList {
  readonly #changes: FileChange[] = [];
  readonly #counts = { created: 0, changed: 0, deleted: 0 };
  #left = false;
  #diffs = MOST_DIFFS;
  #characters = MOST_DIFF_CHARACTERS;

  /** Something wasn't looked at. */
  cut(): void {
    this.#left = true;
  }

  /** `files` are what to compare: the one that was, and the one that is. */
  async add(change: FileChange, quota: TreeQuota, files?: Files): Promise<void> {
    this.#counts[change.change] += 1;
    quota.left -= 1;
    if (quota.left < 0 || this.#changes.length >= MOST_LISTED) return this.cut();
    const compared = files ? await this.#compare(files) : {};
    this.#changes.push({ ...change, path: filterSecrets(change.path.toWellFormed()), ...compared });
  }

  found(): Changes {
    const changes = this.#changes.sort((one, other) => (one.path < other.path ? -1 : 1));
    return { changes, counts: this.#counts, truncated: this.#left };
  }

  async #compare({ before, after }: Files): Promise<Compared> {
    if (this.#diffs === 0 || this.#characters <= 0) return { undiffed: "limit" };
    this.#diffs -= 1;
    const compared = await compareFiles(before, after);
    this.#characters -= compared.diff?.length ?? 0;
    return compared;
  }
}

interface Files {
  readonly before?: string | Buffer;
  readonly after?: string | Buffer;
}
