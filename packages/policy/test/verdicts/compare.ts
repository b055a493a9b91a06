// `npm run verdicts`: prints each command whose verdict or effects differ from the frozen ones. `-- --write` freezes today's.
import { readFileSync, writeFileSync } from "node:fs";
import { freeze, nameByHash, ownCommands, type Row, sharedCommands } from "./rows.ts";

const FROZEN = new URL("frozen.jsonl", import.meta.url);

/** One command whose frozen row (undefined: a new command) isn't today's (undefined: the command is gone). */
export interface Difference {
  readonly command: string;
  readonly frozen: Row | undefined;
  readonly now: Row | undefined;
}

/** Compares today's verdicts with the frozen ones. The shared corpus's rows count only where that corpus is. */
export function compareVerdicts(): Difference[] {
  const frozen = new Map(readFrozen().map((row) => [row.command, row]));
  const shared = sharedCommands();
  const texts = new Map((shared ?? []).map((command) => [nameByHash(command), command]));
  const now = new Map(todaysRows(shared ?? []).map((row) => [row.command, row]));
  const names = [...new Set([...frozen.keys(), ...now.keys()])];
  const looked = shared ? names : names.filter((name) => !name.startsWith("sha256:"));
  return looked
    .filter((name) => JSON.stringify(frozen.get(name)) !== JSON.stringify(now.get(name)))
    .map((name) => ({ command: texts.get(name) ?? name, frozen: frozen.get(name), now: now.get(name) }));
}

function readFrozen(): Row[] {
  const lines = readFileSync(FROZEN, "utf8").split("\n").filter(Boolean);
  return lines.map((line): Row => JSON.parse(line));
}

function todaysRows(shared: readonly string[]): Row[] {
  const hashed = shared.map((command) => ({ ...freeze(command), command: nameByHash(command) }));
  return [...ownCommands().map(freeze), ...hashed];
}

/** Keeps the shared corpus's rows where that corpus isn't here. */
function writeFrozen(): void {
  const shared = sharedCommands();
  const kept = shared ? [] : readFrozen().filter((row) => row.command.startsWith("sha256:"));
  const rows = [...todaysRows(shared ?? []), ...kept];
  writeFileSync(FROZEN, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  console.log(`${rows.length} verdicts frozen`);
}

function show({ command, frozen, now }: Difference): string {
  const lines = [JSON.stringify(command)];
  if (!frozen || !now) return [...lines, `  ${frozen ? "is gone" : `is new: ${now?.jail} / ${now?.none}`}`].join("\n");
  if (frozen.jail !== now.jail) lines.push(`  in a jail: ${frozen.jail} → ${now.jail}`);
  if (frozen.none !== now.none) lines.push(`  without one: ${frozen.none} → ${now.none}`);
  lines.push(...frozen.effects.filter((effect) => !now.effects.includes(effect)).map((effect) => `  - ${effect}`));
  lines.push(...now.effects.filter((effect) => !frozen.effects.includes(effect)).map((effect) => `  + ${effect}`));
  return lines.join("\n");
}

if (import.meta.main) {
  if (process.argv.includes("--write")) writeFrozen();
  else {
    const differences = compareVerdicts();
    for (const difference of differences) console.log(show(difference));
    console.log(`${differences.length} differ from the frozen verdicts`);
  }
}
