import { type ReadonlySignal, signal } from "@preact/signals";

/** The current address: `#/approval/abc?x=1` → `{view: "approval", rest: ["abc"], query}`. In the fragment, so that no id reaches a log. */
export interface Route {
  readonly view: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

const current = signal<Route>(readRoute(location.hash));
export const route: ReadonlySignal<Route> = current;

addEventListener("hashchange", () => {
  current.value = routeNow();
});

function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...rest] = path.split("/").map(decode);
  return { view: view || "inbox", rest, query: new URLSearchParams(query) };
}

export function hrefOf(
  view: string,
  rest: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  const path = [view, ...rest].map(encodeURIComponent).join("/");
  const search = new URLSearchParams(query);
  return `#/${path}${search.size === 0 ? "" : `?${search}`}`;
}

/** Returns the one-time code of a pairing link, `#pair=<code>`. In the fragment too, so that it reaches no log. */
export function pairingCodeOf({ view }: Route): string | undefined {
  return /^pair=([\w-]{1,64})$/.exec(view)?.[1];
}

/** Reads the address itself: the browser may not have sent its last `hashchange` yet. */
export function routeNow(): Route {
  return readRoute(location.hash);
}

/** Navigates at once. `replace`: adds no history entry, so that Back skips each typed letter. */
export function goTo(href: string, { replace = false } = {}): void {
  if (replace || href === location.hash) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  current.value = routeNow();
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not an address that we made: used as it is, and matches nothing.
    return part;
  }
}

/** The properties of every view. */
export interface ViewProps {
  /** Deletes this browser's token and key. */
  readonly signOut: (why?: string) => Promise<void>;
}
