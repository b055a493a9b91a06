import { canonicalize } from "@countersign/receipts";
import { GoJsonError, type GoType, goUtf8, type Route } from "../../wire/index.ts";
import { sha256Text } from "../digest/index.ts";
import type { Decoded, PathItem } from "./decoded.ts";
import { pathFields, queryValue, queryValues } from "./path-text.ts";
import { moves, permissions, replacements } from "./request-types.ts";

type Read = <T>(type: GoType<T>) => T;

/** Calls about files and directories, but for uploads; null for others. */
export function decodePaths(route: Route, read: Read, hasBody: boolean): Decoded | null {
  if (hasBody && isNamedInQuery(route)) throw new GoJsonError("MISMATCH", "query and body both say what is done");
  const items = itemsOf(route, read);
  // A call that names nothing is a call all the same.
  return (
    items && {
      kind: "paths",
      items: items.length > 0 ? items : [{ actionType: TYPES[route.operation] ?? "", input: { path: "" } }],
      ...isolatedIn(route),
    }
  );
}

const TYPES: { readonly [operation: string]: string } = {
  "file.download": "filesystem.file.read",
  "file.look": "filesystem.file.read",
  "file.delete": "filesystem.file.delete",
  "file.replace": "filesystem.file.modify",
  "file.permissions": "filesystem.file.modify",
  "file.move": "filesystem.file.move",
  "directory.list": "filesystem.directory.list",
  "directory.create": "filesystem.directory.create",
  "directory.delete": "filesystem.directory.delete",
};

/** Earlier builds take an isolated session's changes from the query, later ones from the body: with both, which of them is done isn't known. */
function isNamedInQuery({ operation, rawQuery, filesAt }: Route): boolean {
  const names = filesAt === "/files" ? undefined : IN_QUERY[operation];
  return names?.some((name) => queryValues(rawQuery, name).length > 0) ?? false;
}

const IN_QUERY: { readonly [operation: string]: readonly string[] } = {
  "file.replace": ["path", "old", "new"],
  "file.move": ["old_path", "new_path"],
  "directory.create": ["path"],
};

function itemsOf(route: Route, read: Read): readonly PathItem[] | null {
  const { operation, rawQuery } = route;
  const actionType = TYPES[operation] ?? "";
  const isIsolated = route.filesAt !== "/files";
  switch (operation) {
    case "file.download":
    case "directory.list":
      return [{ actionType, input: pathFields(queryValue(rawQuery, "path")) }];
    case "file.look":
      if (route.name.endsWith("/search")) return [{ actionType, input: pathFields(queryValue(rawQuery, "path")) }];
      return fromQuery(rawQuery, actionType);
    case "file.delete":
    case "directory.delete":
      return fromQuery(rawQuery, actionType);
    case "directory.create":
      return (
        (isIsolated && nonEmpty(fromQuery(rawQuery, actionType))) ||
        [...read(permissions)].map(([path, rights]) => ({ actionType, input: { path }, details: rightsIn(rights) }))
      );
    case "file.permissions":
      return [...read(permissions)].map(([path, { mode, owner, group }]) => ({
        actionType,
        input: { path, mode, owner, group },
      }));
    case "file.replace":
      return (isIsolated && replacementInQuery(rawQuery, actionType)) || replacementsIn(read, actionType);
    case "file.move":
      return (isIsolated && moveInQuery(rawQuery, actionType)) || movesIn(read, actionType);
    default:
      return null;
  }
}

function fromQuery(rawQuery: string, actionType: string): PathItem[] {
  return queryValues(rawQuery, "path").map((path) => ({ actionType, input: pathFields(path) }));
}

function nonEmpty<T>(items: readonly T[]): readonly T[] | null {
  return items.length > 0 ? items : null;
}

/** Whose files they are, where those aren't the sandbox's own. */
export function isolatedIn({ filesAt, parameters }: Route): { readonly isolated?: string } {
  const session = Buffer.from(parameters.sessionId ?? "", "latin1");
  return filesAt === "/files" ? {} : { isolated: goUtf8(session) };
}

interface Rights {
  readonly mode: number;
  readonly owner: string;
  readonly group: string;
}

/** What execd is told to set; it leaves alone what it isn't told. */
export function rightsIn({ mode, owner, group }: Rights): { readonly [name: string]: string | number } {
  return { ...(mode === 0 ? {} : { mode }), ...(owner === "" ? {} : { owner }), ...(group === "" ? {} : { group }) };
}

/** An edit that somebody can read on a card is on it. */
const LONGEST_SHOWN = 1_024;

function editIn(path: { readonly [field: string]: string }, edit: { readonly old: string; readonly new: string }) {
  const isShort = Math.max(edit.old.length, edit.new.length) <= LONGEST_SHOWN;
  return {
    input: { ...path, edit_hash: sha256Text(canonicalize(edit)) },
    ...(isShort ? { details: { old: edit.old, new: edit.new } } : {}),
  };
}

function replacementsIn(read: Read, actionType: string): PathItem[] {
  return [...read(replacements)].map(([path, edit]) => ({ actionType, ...editIn({ path }, edit) }));
}

function replacementInQuery(rawQuery: string, actionType: string): PathItem[] | null {
  const path = queryValue(rawQuery, "path");
  if (path.length === 0) return null;
  const [old = "", replacement = ""] = ["old", "new"].map((name) => goUtf8(queryValue(rawQuery, name)));
  return [{ actionType, ...editIn(pathFields(path), { old, new: replacement }) }];
}

function movesIn(read: Read, actionType: string): PathItem[] {
  const list = read(moves);
  if (list === null) throw new GoJsonError("MISMATCH", "null where an array belongs");
  return list.map(({ src, dest }) => ({ actionType, input: { path: src, dest } }));
}

function moveInQuery(rawQuery: string, actionType: string): PathItem[] | null {
  const from = queryValue(rawQuery, "old_path");
  if (from.length === 0) return null;
  return [{ actionType, input: { ...pathFields(from), ...pathFields(queryValue(rawQuery, "new_path"), "dest") } }];
}
