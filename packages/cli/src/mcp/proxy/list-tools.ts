import { isObject } from "../../proxies/index.ts";
import type { KnownTools } from "./known-tools.ts";
import type { OwnRequests } from "./own-requests.ts";

const MAX_PAGES = 256;

/** Asks the server for all of its tools: what the client asked for need not be all, or the newest. */
export async function listTools(own: OwnRequests, book: KnownTools): Promise<void> {
  const tools: unknown[] = [];
  let cursor: unknown;
  // What changes while it is listed makes it stale again.
  book.stale = false;
  try {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = await own.ask("tools/list", cursor === undefined ? {} : { cursor });
      if (!isObject(result) || !Array.isArray(result.tools)) throw new Error("it answered with something else");
      tools.push(...result.tools);
      cursor = result.nextCursor;
      if (cursor === undefined) break;
    }
    if (cursor !== undefined) throw new Error(`its list has more than ${MAX_PAGES} pages`);
  } catch (cause) {
    book.stale = true;
    throw cause;
  }
  book.replace(tools);
}
