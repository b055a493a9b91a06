/**
 * Runs that may write in workspaces, while they do. A server may run for hours: what another run was allowed to make in the
 * meantime (a clone, an approved file) isn't what the first one planted.
 */
export class OpenGuards {
  readonly #all = new Set<Set<string>>();

  enter(): OpenGuard {
    const accepted = new Set<string>();
    this.#all.add(accepted);
    return { accepted, leave: () => void this.#all.delete(accepted) };
  }

  /** Told to all that are open. */
  accept(paths: readonly string[]): void {
    for (const accepted of this.#all) for (const path of paths) accepted.add(path);
  }
}

interface OpenGuard {
  /** Places that others were allowed to make since. */
  readonly accepted: ReadonlySet<string>;
  leave(): void;
}
