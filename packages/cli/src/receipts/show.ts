import { resolve } from "node:path";
import { proposalAccount } from "@countersign/hub";
import { openStoreToRead } from "@countersign/store";
import { EXIT, homeDirOf, homeFiles } from "../base/index.ts";
import { asCliError } from "../hub-errors/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { storyLines } from "./show-story.ts";
import { type RecordOptions, unreadable } from "./sources/index.ts";

/** One story, from the store itself: no hub is asked. Exits 1 where a receipt of it isn't whole. */
export async function show(id: string, options: RecordOptions): Promise<number> {
  const path = resolve(options.file ?? homeFiles(homeDirOf(options)).database);
  try {
    const store = await openStoreToRead(path);
    if (store === undefined) throw unreadable(`${path} has no ledger of Countersign's.`);
    try {
      const story = await proposalAccount(store, id);
      if (options.json) printJson(story);
      else printLines(storyLines(story));
      return story.whole ? EXIT.ok : EXIT.failed;
    } finally {
      await store.close();
    }
  } catch (cause) {
    throw asCliError(cause);
  }
}
