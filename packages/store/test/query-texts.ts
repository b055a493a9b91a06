import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** For tests: a statement as it stands in the source; several pieces, where something is put in between. */
export interface QueryText {
  readonly file: string;
  readonly pieces: readonly string[];
}

const SOURCES = join(import.meta.dirname, "../src/sqlite");

/** Written once, when a database is made or migrated. */
const MIGRATIONS = /schema\.ts$/;
const BEGINS = /["`]\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s/g;

/** SQL in any spelling, wherever a literal has it. */
const LOOKS_LIKE_SQL =
  /\b(?:select\s+[\w*(]|(?:insert|replace)\s+(?:or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s)/gi;
const COMMENT = /^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*$)/gm;

/** For tests: every statement that stands in the store's source, but for migrations. */
export function queryTexts(): QueryText[] {
  return sources().flatMap(({ file, source }) =>
    [...source.matchAll(BEGINS)].map(({ index }) => ({ file, pieces: literalAt(source, index).pieces })),
  );
}

/** For tests: SQL in the store's source that `queryTexts` doesn't find, such as in lower case or behind another text. */
export function overlookedTexts(files = sources()): string[] {
  return files.flatMap(({ file, source }) => {
    const found = [...source.matchAll(BEGINS)].map(({ index }) => ({ index, end: literalAt(source, index).end }));
    const isFound = (at: number) => found.some(({ index, end }) => index < at && at < end);
    const overlooked = [...source.matchAll(LOOKS_LIKE_SQL)].filter(({ index }) => !isFound(index));
    return overlooked.map(({ index }) => `${file}: ${source.slice(index, index + 60)}`);
  });
}

function sources(): { file: string; source: string }[] {
  const files = globSync("**/*.ts", { cwd: SOURCES });
  return files
    .filter((file) => !/\.(?:test|deep)\.ts$/.test(file) && !MIGRATIONS.test(file))
    .map((file) => ({ file, source: readFileSync(join(SOURCES, file), "utf8").replace(COMMENT, "") }));
}

/** The literal that begins there. */
function literalAt(source: string, start: number): { pieces: string[]; end: number } {
  const quote = source[start];
  const pieces = [""];
  let at = start + 1;
  for (; source[at] !== quote; at += 1) {
    if (source.startsWith("${", at)) {
      at = endOfValue(source, at + 2);
      pieces.push("");
    } else pieces.push(`${pieces.pop()}${source[at]}`);
  }
  return { pieces, end: at };
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
