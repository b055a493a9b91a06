import { isOpenToCode } from "@countersign/policy";
import { ceilingWords } from "@countersign/protocol/describe";
import type { PolicyView, ViewedEntry } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import { day } from "../show/index.ts";
import { table } from "../terminal/index.ts";

/** Of entries for `npm run x`, `make` and the like. */
export const OPEN_CODE = "doesn't hold the code that it runs, which can change";

/** A policy as lines: where it comes from, its settings, what it denies and what it allows. */
export function policyLines({ profile, layers, settings, entries, grants, temporary }: PolicyView): string[] {
  const part = (list: ViewedEntry["list"]) => entries.filter((entry) => entry.list === list).flatMap(entryLines);
  return [
    `Profile ${profile}`,
    ...table(
      layers.map(({ layer, file, note }) => ["", layer, visible(note === undefined ? file : `${file} (${note})`)]),
    ),
    "",
    ...table(settings.map(({ key, value, layer }) => ["", key, String(value), layer])),
    ...section("Denies", part("deny")),
    ...section("Allows", part("allow")),
    ...grants.map(
      ({ root, id = "no id" }) => `  anything that stays in ${visible(root)}, in a jail, without network [${id}]`,
    ),
    ...(temporary.length === 0 ? [] : section("Allows for a while", temporary.flatMap(temporaryLines))),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? ["", `${title} nothing`] : ["", title, ...lines];
}

function entryLines(entry: ViewedEntry): string[] {
  const { id, pattern, command, layer, ceiling, idle } = entry;
  const what = command === undefined ? pattern : `exactly: ${command}`;
  const state = idle === undefined ? "" : ` (${idle}: it counts for nothing)`;
  return [
    `  ${visible(what)}${state}`,
    `    [${[layer, id].filter(Boolean).join(", ")}] ${facts(entry).join("; ")}`.trimEnd(),
    ...(ceiling === undefined ? [] : [`    ${ceilingWords(ceiling)}`]),
    ...codeLines(entry),
  ];
}

function codeLines({ list, pattern, code }: ViewedEntry): string[] {
  if (code !== undefined) return [`    holds the code of ${Object.keys(code).length} files`];
  return list === "allow" && isOpenToCode({ pattern }) ? [`    ${OPEN_CODE}`] : [];
}

function temporaryLines(entry: PolicyView["temporary"][number]): string[] {
  const { id, kind, text, sessionId, by, atMs, why, directory, expiresAtMs, hits } = entry;
  const what = kind === "effects" ? `anything that stays in ${text}, in a jail, without network` : text;
  const where = sessionId === null ? "in every session" : `in session ${JSON.stringify(sessionId)}`;
  const told = facts({ by, atMs, why, directory, lastUsedAtMs: null, hits });
  const until = `until ${new Date(expiresAtMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const used = hits === 0 ? [] : [`used ${hits}×`];
  return [`  ${visible(what)}`, `    [${id}] ${[visible(where), ...told, until, ...used].join("; ")}`];
}

type Facts = Partial<Omit<ViewedEntry, "hits" | "lastUsedAtMs">> & Pick<ViewedEntry, "hits" | "lastUsedAtMs">;

function facts({ by, atMs, why, expiresAtMs, directory, hits, lastUsedAtMs }: Facts): string[] {
  const made = [by === undefined ? "" : `by ${visible(by)}`, atMs === undefined ? "" : day(atMs)]
    .filter(Boolean)
    .join(" ");
  return [
    made,
    why === undefined ? "" : `"${visible(why)}"`,
    directory === undefined ? "" : `in ${visible(directory)}`,
    expiresAtMs === undefined ? "" : `until ${day(expiresAtMs)}`,
    lastUsedAtMs === null ? "" : `used ${hits}×, last ${day(lastUsedAtMs)}`,
  ].filter(Boolean);
}
