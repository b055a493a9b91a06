import { fileRoutes, WorkspaceFiles } from "../files/index.ts";
import type { LocalLimits, Route } from "../http/index.ts";
import { ConfinedTree, Surroundings } from "../places/index.ts";
import type { Isolation } from "./isolator.ts";

/** The files of an isolated session, by the paths that its processes know: what is read-only to them can be looked at. */
export class SessionFiles {
  readonly #trees: readonly ConfinedTree[];
  readonly #around: Surroundings;
  readonly #handlers: ReadonlyMap<string, Route[2]>;

  constructor(workspace: string, { roots, env }: Isolation, limits: LocalLimits, stateDirectory: string) {
    const seen = new ConfinedTree(roots);
    const changed = new ConfinedTree(roots.map((root) => ({ ...root, isClosed: root.readOnly ?? false })));
    this.#trees = [seen, changed];
    this.#around = new Surroundings(workspace, env, seen);
    const routesOf = (tree: ConfinedTree) => fileRoutes(new WorkspaceFiles(this.#around, tree), limits, stateDirectory);
    const routes = [
      ...routesOf(seen).filter(([method]) => method === "GET"),
      ...routesOf(changed).filter(([method]) => method !== "GET"),
    ];
    this.#handlers = new Map(routes.map(([method, path, handler]) => [`${method} ${path}`, handler]));
  }

  handler(method: string, path: string): Route[2] {
    return this.#handlers.get(`${method} ${path}`) as Route[2];
  }

  directory(asked: string): string {
    return this.#around.directory(asked);
  }

  close(): void {
    for (const tree of this.#trees) tree.close();
  }
}
