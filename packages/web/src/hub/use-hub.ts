import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageHub } from "./page-hub.ts";

export const HubContext = createContext<PageHub | undefined>(undefined);

/** The hub that this page is signed in to. Throws outside the signed-in views. */
export function useHub(): PageHub {
  const hub = useContext(HubContext);
  if (hub === undefined) throw new Error("This view is shown before anybody has signed in");
  return hub;
}
