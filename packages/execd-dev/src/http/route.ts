import type { Exchange } from "./exchange.ts";

type Handler = (exchange: Exchange) => void | Promise<void>;

/** A path with `:name` places, as gin has them. */
export type Route = readonly [method: string, path: string, handler: Handler];

export type Found =
  | { readonly kind: "found"; readonly handler: Handler; readonly params: Readonly<Record<string, string>> }
  /** The same with or without its last slash is there: gin sends the client to it. */
  | { readonly kind: "elsewhere"; readonly path: string }
  | { readonly kind: "none" };

/** Looks paths up as gin does: decoded, letter by letter, `//` is no `/`; a method that isn't there is not found either. */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => Found {
  const rows = routes.map(([method, path, handler]) => ({ method, handler, places: path.split("/") }));
  const look = (method: string, path: string): Found => {
    const parts = path.split("/");
    for (const { method: its, handler, places } of rows) {
      if (its !== method || places.length !== parts.length) continue;
      const params: Record<string, string> = {};
      const fits = places.every((place, at) => {
        if (!place.startsWith(":")) return place === parts[at];
        params[place.slice(1)] = parts[at] ?? "";
        return parts[at] !== "";
      });
      if (fits) return { kind: "found", handler, params };
    }
    return { kind: "none" };
  };
  return (method, path) => {
    const found = look(method, path);
    if (found.kind === "found" || path === "/") return found;
    const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
    return look(method, other).kind === "found" ? { kind: "elsewhere", path: other } : found;
  };
}
