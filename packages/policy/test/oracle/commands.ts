import { existsSync, readFileSync } from "node:fs";
import { TOOLS } from "../../src/catalog/tools/tools.ts";
import { classify } from "../../src/classify/classify.ts";
import type { Classification } from "../../src/model/classification.ts";
import { ASSUMED_MACHINE } from "../../src/model/machine.ts";

/** They keep logs and caches of their own in the home, or ask their makers for news: the jail of a real run refuses both. */
const KEEP_STATE =
  "npm pnpm yarn bun deno pip pip3 uv poetry conda cargo rustup go gem bundle composer dotnet man bat batcat sqlite3 top terraform tofu packer vault".split(
    " ",
  );
export const SHARED = new URL("../../../../../shared/data/commands/corpus-dev.jsonl", import.meta.url);

export interface Safe {
  readonly command: string;
  readonly classification: Classification;
}

export interface Gathered {
  readonly safe: readonly Safe[];
  /** Safe too, but not run, with how many of them by reason. */
  readonly left: ReadonlyMap<string, number>;
}

/** Every command that we call safe, of the tables' examples and the corpora, and what is made of them. */
export function gatherSafe(more: readonly string[] = []): Gathered {
  const left = new Map<string, number>();
  const safe: Safe[] = [];
  for (const command of new Set([...examples(), ...more])) {
    const classification = classify(command, ASSUMED_MACHINE);
    if (classification.riskLevel !== "safe") continue;
    const reason = whyNotRun(classification);
    if (reason === undefined) safe.push({ command, classification });
    else left.set(reason, (left.get(reason) ?? 0) + 1);
  }
  return { safe, left };
}

/** The commands that the tables and corpora hold, whatever they are called. */
export function examples(): string[] {
  const own = new URL("../../corpus/second.jsonl", import.meta.url);
  const rows = [own, SHARED].filter((url) => existsSync(url)).flatMap((url) => readFileSync(url, "utf8").split("\n"));
  const commands = rows.filter(Boolean).map((row): string => JSON.parse(row).cmd);
  return [...TOOLS.flatMap((tool) => tool.examples.safe), ...commands];
}

function whyNotRun({ effects, parts }: Classification): string | undefined {
  if (effects.some((effect) => effect.kind === "network-read")) return "asks a service, which isn't here";
  if (parts.some((part) => KEEP_STATE.includes(part.words[0] ?? "")))
    return "keeps state of its own, or asks its makers for news";
  if (parts.some(({ words }) => words[0] === "kubectl" && words[1] === "kustomize"))
    return "fetches what isn't here, which a jail without the network refuses";
  return undefined;
}
