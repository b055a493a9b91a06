import { resolve } from "node:path";
import { tellStory } from "@countersign/hub";
import { openStoreToRead } from "@countersign/store";
import { asCliError } from "../connect/as-cli-error.ts";
import { homeFiles } from "../connect/home-files.ts";
import { EXIT } from "../exit-codes.ts";
import { homeDirOf } from "../settings.ts";
import { printJson, printLines } from "../show/print.ts";
import type { RecordOptions } from "./record-file.ts";
import { storyLines } from "./show-story.ts";
import { unreadable } from "./unreadable.ts";

/** One story, from the store itself: no hub is asked. Exits 1 where a receipt of it isn't whole. */
export async function show(id: string, options: RecordOptions): Promise<number> {
  const path = resolve(options.file ?? homeFiles(homeDirOf(options)).database);
  try {
    const store = await openStoreToRead(path);
    if (store === undefined) throw unreadable(`${path} has no ledger of Countersign's.`);
    try {
      const story = await tellStory(store, id);
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
