import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** For tests: a statement as it stands in the source; several pieces, where something is put in between. */
export interface QueryText {
  readonly file: string;
  readonly pieces: readonly string[];
}

/** Written once, when a database is made or migrated. */
const MIGRATIONS = /schema\.ts$/;
const BEGINS = /["`]\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s/g;

/** For tests: every statement that stands in the store's source, but for migrations. */
export function queryTexts(): QueryText[] {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname }).filter((file) => !/\.(?:test|deep)\.ts$/.test(file));
  return files
    .filter((file) => !MIGRATIONS.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(import.meta.dirname, file), "utf8");
      return [...source.matchAll(BEGINS)].map(({ index }) => ({ file, pieces: piecesAt(source, index) }));
    });
}

/** Of the literal that begins there. */
function piecesAt(source: string, start: number): string[] {
  const quote = source[start];
  const pieces = [""];
  for (let at = start + 1; source[at] !== quote; at += 1) {
    if (source.startsWith("${", at)) {
      at = endOfValue(source, at + 2);
      pieces.push("");
    } else pieces.push(`${pieces.pop()}${source[at]}`);
  }
  return pieces;
}

function endOfValue(source: string, start: number): number {
  let depth = 1;
  for (let at = start; ; at += 1) {
    if (source[at] === "{") depth += 1;
    if (source[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
}

/** For tests: the statements that this process prepares from now on, on this thread. */
export function collectStatements(): ReadonlySet<string> {
  const statements = new Set<string>();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql, ...options) {
    statements.add(sql);
    return prepare.call(this, sql, ...options);
  };
  return statements;
}
