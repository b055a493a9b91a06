import { resolve } from "node:path";
import { listSandboxes, type SandboxReader, sandboxAccount } from "@countersign/hub";
import { type SandboxView, sandboxStoryParamsSchema } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import { openStoreToRead } from "@countersign/store";
import { CliError, EXIT, homeDirOf, homeFiles } from "../base/index.ts";
import { asCliError } from "../hub-errors/index.ts";
import { printJson, printLines, table } from "../terminal/index.ts";
import { sandboxLines } from "./show-sandbox.ts";
import { type RecordOptions, unreadable } from "./sources/index.ts";

interface ListOptions extends RecordOptions {
  readonly limit: number;
  readonly before?: number;
}

/** From the store itself: no hub is asked. */
export async function sandboxes(options: ListOptions): Promise<number> {
  const { limit, before } = options;
  const found = await reading(options, (reader) => listSandboxes(reader, { limit, before }));
  if (options.json) printJson(found);
  else if (found.sandboxes.length === 0) printLines(["No sandbox is on record."]);
  else printLines([...table([HEADINGS, ...found.sandboxes.map(cellsOf)]), ...goesOn("--before", found.next)]);
  return EXIT.ok;
}

interface StoryOptions extends RecordOptions {
  readonly limit: number;
  readonly after?: number;
}

export async function sandboxStory(id: string, options: StoryOptions): Promise<number> {
  const { limit, after } = options;
  const wanted = sandboxStoryParamsSchema.safeParse({ id, limit, after });
  if (!wanted.success) {
    const message = `${JSON.stringify(id)} is no sandbox's id. See: countersign receipts sandboxes`;
    throw new CliError("FAILED", message, { exitCode: EXIT.usage });
  }
  const story = await reading(options, (reader) => sandboxAccount(reader, wanted.data));
  if (options.json) printJson(story);
  else printLines([...sandboxLines(story), ...goesOn("--after", story.next)]);
  return EXIT.ok;
}

async function reading<T>(options: RecordOptions, read: (reader: SandboxReader) => Promise<T>): Promise<T> {
  const path = resolve(options.file ?? homeFiles(homeDirOf(options)).database);
  try {
    const store = await openStoreToRead(path);
    if (store === undefined) throw unreadable(`${path} has no ledger of Countersign's.`);
    try {
      return await read(store);
    } finally {
      await store.close();
    }
  } catch (cause) {
    throw asCliError(cause);
  }
}

const HEADINGS = ["SANDBOX", "FIRST", "LAST", "RECEIPTS", "DROPPED", "OPEN TERMINALS", "WHAT"];

function cellsOf(sandbox: SandboxView): string[] {
  const { id, firstAtMs, lastAtMs, receipts, outside, incompleteSessions, actions } = sandbox;
  const dropped = `${sandbox.dropped}${outside.dropped === 0 ? "" : ` (and ${outside.dropped} outside)`}`;
  const what = actions.map(({ type, count }) => `${count} ${type}`).join(", ");
  return [
    ...[visible(id), localTime(firstAtMs), localTime(lastAtMs), `${receipts}`, dropped, `${incompleteSessions}`],
    visible(what),
  ];
}

function goesOn(option: string, next: number | undefined): string[] {
  return next === undefined ? [] : [`There are more: ${option} ${next}`];
}

function localTime(atMs: number): string {
  return new Date(atMs).toLocaleString("sv-SE");
}
