import type { ComponentType } from "preact";
import { InboxView } from "../inbox/inbox-view.tsx";
import { MoreView } from "./more-view.tsx";

/** What a view is given. */
export interface ViewProps {
  /** Forgets this browser's token and key. */
  readonly signOut: (why?: string) => Promise<void>;
}
type View = ComponentType<ViewProps>;

/** In the first script: what a person is most likely called for. An approval opens beside the inbox. */
const AT_ONCE: ReadonlyMap<string, View> = new Map([
  ["inbox", InboxView],
  ["approval", InboxView],
  ["more", MoreView],
]);

/** The others, `<view>/view.tsx`, are loaded when they are first gone to. */
const LATER = new Map(
  Object.entries(import.meta.glob<{ default: View }>(["../*/view.tsx"])).map(([path, load]) => [
    path.split("/")[1] ?? "",
    load,
  ]),
);
const loaded = new Map<string, View>(AT_ONCE);

/** The view of that name if it is there already. */
export function viewNow(name: string): View | undefined {
  return loaded.get(name);
}

/** Undefined: there's no such view. */
export async function loadView(name: string): Promise<View | undefined> {
  const view = (await LATER.get(name)?.())?.default;
  if (view !== undefined) loaded.set(name, view);
  return view;
}
