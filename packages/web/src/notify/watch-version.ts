import { effect } from "@preact/signals";
import type { PageHub } from "../hub/index.ts";
import { isOutdated } from "../hub/index.ts";

/** A hub that was away may come back as a newer one, with a page of its own: looked at whenever it is back. Returns what ends it. */
export function watchVersion(hub: PageHub): () => void {
  let known: string | null = null;
  const look = async () => {
    const etag = await etagNow();
    known ??= etag;
    if (etag !== null && etag !== known) isOutdated.value = true;
  };
  return effect(() => {
    if (hub.state.value === "live") void look();
  });
}

async function etagNow(): Promise<string | null> {
  try {
    return (await fetch("/", { method: "HEAD", cache: "no-store", credentials: "omit" })).headers.get("etag");
  } catch {
    // Gone again; it is looked at when it is back.
    return null;
  }
}
