import type { ComponentType } from "preact";
import { InboxView } from "../inbox/index.ts";
import type { ViewProps } from "../navigation/index.ts";
import { MoreView } from "./more-view.tsx";

type View = ComponentType<ViewProps>;
type Load = () => Promise<{ default: View }>;

/** Views in the first script: the ones people are most often called for. An approval opens next to the inbox. */
const AT_ONCE: ReadonlyMap<string, View> = new Map([
  ["inbox", InboxView],
  ["approval", InboxView],
  ["more", MoreView],
]);

const history: Load = () => import("../history/view.tsx");

/** Views that are loaded when first opened. Two addresses of one view share its loader, so that navigating between them keeps its state. */
const LATER: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["today", () => import("../today/view.tsx")],
  ["history", history],
  ["story", history],
  ["runs", () => import("../runs/view.tsx")],
  ["chat", () => import("../chat/view.tsx")],
  ["receipts", () => import("../receipts/view.tsx")],
  ["policy", () => import("../policy/view.tsx")],
  ["connect", () => import("../connect/view.tsx")],
  ["notify", () => import("../connect/notify-view.tsx")],
]);
const loaded = new Map<Load, View>();

/** Returns the view if it is loaded. */
export function viewNow(name: string): View | undefined {
  const load = LATER.get(name);
  return AT_ONCE.get(name) ?? (load && loaded.get(load));
}

/** Loads a view; undefined if there is none of that name. */
export async function loadView(name: string): Promise<View | undefined> {
  const load = LATER.get(name);
  if (load === undefined) return undefined;
  const view = (await load()).default;
  loaded.set(load, view);
  return view;
}
