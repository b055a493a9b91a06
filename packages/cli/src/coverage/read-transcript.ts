import { createReadStream } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { readLines } from "../base/index.ts";
import { type AgentCall, asRecord, asText } from "./agent-call.ts";
import { lookAt, type Transcript } from "./find-transcripts.ts";
import { LINE_READERS } from "./line-readers.ts";

/** A line holds a whole answer of a model, with what a tool printed. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** A call, or a line that can't be read and may have told of one. */
export type Told =
  | { readonly call: AgentCall }
  | { readonly unreadable: { readonly file: string; readonly line: number } };

/** Of a transcript that its agent may be writing to: what has no end yet isn't there. */
export async function* readTranscript({ agent, file }: Transcript): AsyncGenerator<Told> {
  if (!lookAt(file)?.isFile()) {
    yield { unreadable: { file, line: 0 } };
    return;
  }
  if (agent === "opencode") {
    yield* readOpencode(file);
    return;
  }
  const read = LINE_READERS[agent]?.();
  if (read === undefined) return;
  let line = 0;
  let broken: number | undefined;
  for await (const lines of readLines(createReadStream(file), MAX_LINE_BYTES)) {
    for (const found of lines) {
      if (broken !== undefined) yield { unreadable: { file, line: broken } };
      broken = undefined;
      line += 1;
      const said = found.kind === "whole" ? parseLine(found.bytes) : undefined;
      if (said === undefined) broken = line;
      else for (const call of read(said)) yield { call: { ...call, agent, at: { file, line } } };
    }
  }
  // A broken one at the very end is being written.
}

function parseLine(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  if (bytes.length === 0) return {};
  try {
    return asRecord(JSON.parse(bytes.toString("utf8")));
  } catch {
    return undefined;
  }
}

const OPENCODE_TOOLS: Readonly<Record<string, string>> = { bash: "Bash", write: "Write", edit: "Edit", patch: "Patch" };

/** Its parts, of which some are uses of a tool. */
function* readOpencode(file: string): Generator<Told> {
  let db: DatabaseSync;
  try {
    db = new DatabaseSync(file, { readOnly: true });
  } catch {
    yield { unreadable: { file, line: 0 } };
    return;
  }
  try {
    const rows = db.prepare(
      "SELECT p.rowid AS line, p.session_id AS session, p.time_created AS atMs, p.data AS data, s.directory AS cwd FROM part p LEFT JOIN session s ON s.id = p.session_id WHERE p.data LIKE '%\"tool\"%'",
    );
    for (const row of rows.iterate()) {
      const { line, session, atMs, data, cwd } = row as Record<string, unknown>;
      const { type, tool, callID, state } = parseLine(Buffer.from(asText(data) ?? "")) ?? {};
      const name = Object.hasOwn(OPENCODE_TOOLS, asText(tool) ?? "") ? OPENCODE_TOOLS[asText(tool) ?? ""] : undefined;
      if (type !== "tool" || name === undefined) continue;
      const command = name === "Bash" ? asText(asRecord(asRecord(state).input).command) : undefined;
      const ids = { sessionId: asText(session) ?? "", callId: asText(callID) };
      yield {
        call: {
          agent: "opencode",
          ...ids,
          tool: name,
          command,
          atMs: Number(atMs),
          cwd: asText(cwd),
          at: { file, line: Number(line) },
        },
      };
    }
  } catch {
    yield { unreadable: { file, line: 0 } };
  } finally {
    db.close();
  }
}
