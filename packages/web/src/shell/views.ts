import type { ComponentType } from "preact";
import { InboxView } from "../inbox/index.ts";
import type { ViewProps } from "../navigation/index.ts";
import { MoreView } from "./more-view.tsx";

type View = ComponentType<ViewProps>;
type Load = () => Promise<{ default: View }>;

/** In the first script: what a person is most likely called for. An approval opens beside the inbox. */
const AT_ONCE: ReadonlyMap<string, View> = new Map([
  ["inbox", InboxView],
  ["approval", InboxView],
  ["more", MoreView],
]);

const history: Load = () => import("../history/view.tsx");

/** The others are loaded when they are first gone to. Two addresses of one view share its loader: going from one to the other keeps its state. */
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

/** The view of that name if it is there already. */
export function viewNow(name: string): View | undefined {
  const load = LATER.get(name);
  return AT_ONCE.get(name) ?? (load && loaded.get(load));
}

/** Undefined: there's no such view. */
export async function loadView(name: string): Promise<View | undefined> {
  const load = LATER.get(name);
  if (load === undefined) return undefined;
  const view = (await load()).default;
  loaded.set(load, view);
  return view;
}
