import { join } from "node:path";

/** In a namespace's directory: what is written in it. */
export function scratchOf(directory: string): string {
  return join(directory, "scratch");
}

/** In that: what was written over the nth path, what the kernel needs to do so, and how the path looks then. */
export function overlayPlaces(directory: string, n: number): { upper: string; work: string; merged: string } {
  const at = (name: string) => join(scratchOf(directory), `${n}`, name);
  return { upper: at("upper"), work: at("work"), merged: at("merged") };
}
