import { kindAt, realPath } from "@countersign/core/host/fs";
import type { PlaceStep } from "../plan/index.ts";

export type HiddenPath = Extract<PlaceStep, { readonly do: "hide" }>;

/**
 * How to hide what stands at a path; undefined when nothing does. A link can't be covered: what it leads to is, since that
 * holds the contents.
 */
export function hiddenPathAt(path: string): HiddenPath | undefined {
  const at = realPath(path);
  const kind = at === undefined ? undefined : kindAt(at);
  if (at === undefined || kind === undefined) return undefined;
  return { do: "hide", path: at, kind: kind === "directory" ? "directory" : "file" };
}
