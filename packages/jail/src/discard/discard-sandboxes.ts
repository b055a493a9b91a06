import { readdirSync } from "node:fs";
import { join } from "node:path";
import { mountsWithin } from "@countersign/core/host/fs";
import { JailError, type JailErrorCode, mappedPaths } from "../base/index.ts";
import type { IdmapRequest } from "../idmap/index.ts";
import { removeWhole } from "../workspace/index.ts";
import { COPIES, openCopySandbox } from "./copy-sandbox.ts";
import type { DiscardSandbox } from "./discard-sandbox.ts";
import { openOverlaySandbox } from "./overlay-sandbox.ts";

export interface DiscardSandboxesOptions {
  /** The dropped user of a root hub. */
  readonly user?: IdmapRequest["user"];
  /** Where copies are kept, where nothing can be laid over a workspace. Ours alone. */
  readonly keptIn: string;
  /** What a preview may write. */
  readonly bytes: number;
  /** `copy` tries nothing else. */
  readonly how?: "overlay" | "copy" | undefined;
}

/** Sandboxes for previews. None is kept: each is made for one run and gone after it. */
export class DiscardSandboxes {
  readonly #facts: DiscardSandboxesOptions;
  readonly #stop = new AbortController();

  constructor(facts: DiscardSandboxesOptions) {
    this.#facts = facts;
  }

  /** Removes what a hub that was killed left behind. */
  async clean(): Promise<void> {
    const { keptIn } = this.#facts;
    const left = readdirSync(keptIn).filter((name) => name.startsWith(COPIES));
    for (const name of left) await removeWhole(join(keptIn, name));
  }

  /** One in which these paths are reachable and the roots among them can be written to for nothing. Rejects with JailError. */
  async open(
    { paths, roots }: { readonly paths: readonly string[]; readonly roots: readonly string[] },
    cancelled: AbortSignal,
  ): Promise<DiscardSandbox> {
    const { user, bytes, keptIn, how } = this.#facts;
    const reached = user ? paths : paths.filter((path) => roots.includes(path));
    const signal = AbortSignal.any([this.#stop.signal, cancelled]);
    const wish = { user, bytes, roots, paths: mappedPaths(reached, user), signal };
    // What is laid over a directory covers the mounts in it, too.
    if (how === "copy" || roots.some((root) => mountsWithin(root).length > 0))
      return await openCopySandbox(wish, keptIn);
    try {
      return await openOverlaySandbox(wish);
    } catch (cause) {
      if (!(cause instanceof JailError && COPIED_INSTEAD.includes(cause.code))) throw cause;
      return await openCopySandbox(wish, keptIn);
    }
  }

  close(): void {
    this.#stop.abort();
  }
}

/** ROOM_FAILED: not even a namespace to mount in. */
const COPIED_INSTEAD: readonly JailErrorCode[] = ["OVERLAY_UNAVAILABLE", "ROOM_FAILED"];
