import { type Operation, type Route, readQuery } from "../../wire/index.ts";

/** What execd looks for in the query of a call that changes something. */
const KNOWN: { readonly [operation in Operation]?: readonly string[] } = {
  "file.write": ["path"],
  "file.replace": ["verbose"],
  "file.delete": ["path"],
  "directory.delete": ["path"],
  // `mode=viewer`: newer builds let others watch.
  "pty.socket": ["pty", "since", "takeover", "mode"],
};

/** Earlier builds take an isolated session's changes from the query. */
const KNOWN_OF_ISOLATED: { readonly [operation in Operation]?: readonly string[] } = {
  "file.upload": ["path"],
  "file.replace": ["path", "old", "new"],
  "file.move": ["old_path", "new_path"],
  "directory.create": ["path"],
};

/** The first of a query's pairs that isn't known, or that not everybody would read. */
export function strangeQuery({ operation, rawQuery, filesAt }: Route): string | undefined {
  const isolated = filesAt === "/files" ? [] : (KNOWN_OF_ISOLATED[operation] ?? []);
  const known = [...(KNOWN[operation] ?? []), ...isolated];
  for (const pair of rawQuery.split("&").filter((text) => text !== "")) {
    const [read] = readQuery(pair);
    if (read === undefined || !known.includes(read[0])) return `?${read?.[0] ?? pair}`;
  }
  return undefined;
}
