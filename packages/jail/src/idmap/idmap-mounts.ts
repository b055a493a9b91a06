import assert from "node:assert/strict";
import { JailError, type MappedPath, mappedPaths } from "../base/index.ts";
import { type IdmapMount, SharedIdmapMount } from "./shared-idmap-mount.ts";

export interface IdmapMountsOptions {
  /** The dropped user. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Namespaces open at once. */
  readonly maxOpen?: number;
}

interface Known {
  readonly identity: string;
  readonly namespace: SharedIdmapMount;
}

/** The mount namespaces of a root hub, each made when it is first wanted and kept while it is useful. */
export class IdmapMounts {
  readonly #user: IdmapMountsOptions["user"];
  readonly #maxOpen: number;
  /** By their set of paths, the least recently used first. */
  readonly #known = new Map<string, Known>();
  /** Some of these are still in use. */
  readonly #retired = new Set<SharedIdmapMount>();
  #closed = false;

  constructor({ user, maxOpen = 64 }: IdmapMountsOptions) {
    assert(user.uid !== 0 && user.gid !== 0);
    this.#user = user;
    this.#maxOpen = maxOpen;
  }

  /** A namespace in which each of these host directories and files is reachable for the dropped user as if it owned them. */
  async open(paths: readonly string[]): Promise<IdmapMount> {
    if (this.#closed) throw new JailError("CLOSED", "The hub is stopping");
    const mapped = mappedPaths(paths, this.#user);
    const key = mapped.map(({ path }) => path).join("\0");
    const namespace = this.#find(key, mapped);
    try {
      return await namespace.lease();
    } catch (cause) {
      if (this.#known.get(key)?.namespace === namespace) this.#retire(key);
      throw cause;
    }
  }

  close(): void {
    this.#closed = true;
    for (const namespace of [...this.#retired, ...[...this.#known.values()].map((known) => known.namespace)])
      namespace.close();
    this.#known.clear();
    this.#retired.clear();
  }

  #find(key: string, mapped: readonly MappedPath[]): SharedIdmapMount {
    const identity = mapped.map((path) => path.identity).join();
    const known = this.#known.get(key);
    if (known?.identity === identity) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known.namespace;
    }
    if (known) this.#retire(key);
    this.#makeSpace();
    const namespace = new SharedIdmapMount(this.#user, mapped);
    this.#known.set(key, { identity, namespace });
    return namespace;
  }

  #retire(key: string): void {
    const namespace = this.#known.get(key)?.namespace;
    this.#known.delete(key);
    namespace?.retire();
    if (namespace?.inUse) this.#retired.add(namespace);
  }

  #makeSpace(): void {
    for (const namespace of this.#retired) if (!namespace.inUse) this.#retired.delete(namespace);
    if (this.#known.size + this.#retired.size < this.#maxOpen) return;
    const idle = [...this.#known].find(([, { namespace }]) => !namespace.inUse);
    if (!idle) throw new JailError("TOO_MANY_ROOMS", `${this.#maxOpen} mount rooms are in use`);
    this.#retire(idle[0]);
  }
}
