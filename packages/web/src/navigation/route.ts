import { type ReadonlySignal, signal } from "@preact/signals";

/** Where the page stands: `#/approval/abc?x=1` → `{view: "approval", rest: ["abc"], query}`. After the hash, so that no id reaches a log. */
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

/** The one-time code of a link that lets a browser in, `#pair=<code>`; after the hash too, so that it reaches no log. */
export function pairingCodeOf({ view }: Route): string | undefined {
  return /^pair=([\w-]{1,64})$/.exec(view)?.[1];
}

/** As the address has it, also where the browser hasn't told of its last change. */
export function routeNow(): Route {
  return readRoute(location.hash);
}

/** At once. `replace`: back goes to where the person was before, not through every letter that they typed. */
export function goTo(href: string, { replace = false } = {}): void {
  if (replace || href === location.hash) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  current.value = routeNow();
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not of our making: taken as it stands, and found nowhere.
    return part;
  }
}

/** What a view is given. */
export interface ViewProps {
  /** Forgets this browser's token and key. */
  readonly signOut: (why?: string) => Promise<void>;
}
