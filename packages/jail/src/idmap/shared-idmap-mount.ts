import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isInside } from "@countersign/core/host/fs";
import { JailError, type MappedPath } from "../base/index.ts";
import type { Namespaces } from "./enter-namespaces.ts";
import { type IdmapRequest, MOUNT_ROOT } from "./idmap-request.ts";
import { makeIdmapMount } from "./make-idmap-mount.ts";

/** Where a run starts from: the machine as it is, or as it is shown in a mount namespace. */
export interface MountNamespace {
  readonly namespaces: Namespaces;
  /**
   * Where a host path stands inside the namespace. What was asked for, and what lies in it, is mapped; anything else stands
   * where it stood, with the host's own permissions.
   */
  pathOf(hostPath: string): string;
  /** Once the run has ended. The namespace stays open until then; afterwards the same path may lead to another. */
  release(): void;
}

/** A private mount namespace in which paths of another owner are the dropped user's. */
export interface IdmapMount extends MountNamespace {
  readonly namespaces: { readonly mount: string };
}

/** One namespace, made once and lent to many runs. */
export class SharedIdmapMount {
  readonly #paths: readonly MappedPath[];
  /** No two namespaces have the same one: a run that entered a wrong namespace would find nothing in it. */
  readonly #directory = `${MOUNT_ROOT}/${randomBytes(12).toString("hex")}`;
  readonly #stop = new AbortController();
  readonly #made: Promise<void>;
  #fd: number | undefined;
  #leases = 0;
  #retired = false;

  constructor(user: NonNullable<IdmapRequest["user"]>, paths: readonly MappedPath[]) {
    this.#paths = paths;
    this.#made = this.#make({ user, paths, directory: this.#directory });
  }

  get inUse(): boolean {
    return this.#leases > 0;
  }

  /** Rejects with JailError. */
  async lease(): Promise<IdmapMount> {
    this.#leases += 1;
    let leased = true;
    const release = () => {
      if (leased) this.#leases -= 1;
      leased = false;
      if (this.#retired && !this.inUse) this.close();
    };
    try {
      await this.#made;
      this.#refuseClosed();
    } catch (cause) {
      release();
      throw cause;
    }
    return {
      namespaces: { mount: `/proc/${process.pid}/fd/${this.#fd}` },
      pathOf: (hostPath) => this.#pathOf(hostPath),
      release,
    };
  }

  /** It is lent to nobody else, and closed by the last who uses it. */
  retire(): void {
    this.#retired = true;
    if (!this.inUse) this.close();
  }

  close(): void {
    this.#stop.abort();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  async #make(request: IdmapRequest): Promise<void> {
    try {
      const fd = await makeIdmapMount(request, this.#stop.signal);
      if (this.#stop.signal.aborted) closeSync(fd);
      else this.#fd = fd;
    } catch (cause) {
      this.#refuseClosed();
      throw cause;
    }
  }

  #refuseClosed(): void {
    if (this.#stop.signal.aborted) throw new JailError("CLOSED", "The hub is stopping");
  }

  #pathOf(hostPath: string): string {
    return pathInMount(hostPath, this.#paths, (n) => join(this.#directory, `${n}`));
  }
}

/** `at` tells where the nth path stands. */
export function pathInMount(hostPath: string, paths: readonly MappedPath[], at: (n: number) => string): string {
  assert.equal(resolve(hostPath), hostPath);
  // In order, so that the last that holds it is the nearest.
  const n = paths.findLastIndex(({ path }) => isInside(hostPath, path));
  const mapped = paths[n];
  if (mapped) return join(at(n), relative(mapped.path, hostPath));
  assert(!isInside(hostPath, MOUNT_ROOT), `${hostPath} is covered in this room`);
  return hostPath;
}
