import { filterSecrets } from "@countersign/core/redaction";
import { AGENTS } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import { openStoreToRead } from "@countersign/store";
import { thisMachine } from "../agents/index.ts";
import { CliError, EXIT, type GlobalOptions, homeDirOf, homeFiles } from "../base/index.ts";
import { asCliError } from "../hub-errors/index.ts";
import { readFilter } from "../receipts/sources/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import type { AgentCall } from "./agent-call.ts";
import { findTranscripts } from "./find-transcripts.ts";
import { readTranscript, type Told } from "./read-transcript.ts";
import { Recorded } from "./recorded.ts";

interface CoverageOptions extends GlobalOptions {
  readonly since: string;
}

interface Count {
  readonly agent: string;
  readonly tool: string;
  calls: number;
  recorded: number;
}

/** More would be a list that nobody reads; the counts are of all. */
const MAX_LISTED = 1_000;
const MAX_UNREAD = 20;

/** `countersign coverage`: what agents say that they did, held against the record. Exits 0, or 1 where something has no receipt or can't be read. */
export async function coverage(options: CoverageOptions): Promise<number> {
  const { fromMs: sinceMs = 0 } = readFilter({ from: options.since });
  const recorded = await readRecorded(options, sinceMs);
  const counts = new Map<string, Count>();
  const lacking: AgentCall[] = [];
  const unreadable: Unreadable[] = [];
  for (const transcript of findTranscripts(thisMachine(), sinceMs)) {
    for await (const told of readTranscript(transcript)) {
      if ("unreadable" in told) unreadable.push(told.unreadable);
      else if ((told.call.atMs ?? sinceMs) >= sinceMs && !count(told.call, recorded, counts)) lacking.push(told.call);
    }
  }
  const shown = lacking.slice(0, MAX_LISTED).map(withoutSecrets);
  const all = [...counts.values()];
  if (options.json) printJson({ sinceMs, counts: all, lacking: shown, lackingInAll: lacking.length, unreadable });
  else printLines(coverageLines(all, shown, unreadable));
  // What can't be read may have told of anything.
  return lacking.length + unreadable.length > 0 ? EXIT.failed : EXIT.ok;
}

async function readRecorded(options: CoverageOptions, sinceMs: number): Promise<Recorded> {
  try {
    const reader = await openStoreToRead(homeFiles(homeDirOf(options)).database);
    if (reader === undefined)
      throw new CliError(
        "NOT_FOUND",
        "No ledger in this data directory: the hub has never run here. Start it with `countersign serve`.",
      );
    try {
      return await Recorded.read(reader, sinceMs);
    } finally {
      await reader.close();
    }
  } catch (cause) {
    throw asCliError(cause);
  }
}

function count(call: AgentCall, recorded: Recorded, counts: Map<string, Count>): boolean {
  const key = `${call.agent} ${call.tool}`;
  const counted = counts.get(key) ?? { agent: call.agent, tool: call.tool, calls: 0, recorded: 0 };
  counts.set(key, counted);
  counted.calls += 1;
  const has = recorded.has(call);
  if (has) counted.recorded += 1;
  return has;
}

function withoutSecrets({ command, ...call }: AgentCall): AgentCall {
  return { ...call, command: command === undefined ? undefined : filterSecrets(command) };
}

type Unreadable = Extract<Told, { unreadable: object }>["unreadable"];

function unreadableLines(unreadable: readonly Unreadable[]): string[] {
  if (unreadable.length === 0) return [];
  const shown = unreadable.slice(0, MAX_UNREAD);
  const places = shown.map(({ file, line }) => `  ${visible(file)}${line === 0 ? "" : `:${line}`}`);
  const what = unreadable.length === 1 ? "1 place" : `${unreadable.length} places`;
  return [`${what} in transcripts can't be read; what stands there isn't counted:`, ...places];
}

function coverageLines(
  counts: readonly Count[],
  lacking: readonly AgentCall[],
  unreadable: readonly Unreadable[],
): string[] {
  const lines = counts.map(({ agent, tool, calls, recorded }) => {
    const title = AGENTS[agent as keyof typeof AGENTS].title;
    const missing = calls - recorded;
    const rest = missing === 0 ? "." : `; ${missing === 1 ? "this one doesn't" : `these ${missing} don't`}.`;
    return `${title}: ${recorded} of ${calls} ${visible(tool)} calls have receipts${rest}`;
  });
  return [
    ...(lines.length === 0 ? ["No transcript of an agent tells of anything since then."] : lines),
    ...lacking.flatMap(callLines),
    ...unreadableLines(unreadable),
  ];
}

function callLines({ atMs, agent, tool, command, sessionId, cwd, at }: AgentCall): string[] {
  const when = atMs === undefined ? "when isn't told" : new Date(atMs).toLocaleString("sv-SE");
  const what = command === undefined ? tool : `${tool}: ${short(command)}`;
  return [
    `  ${when}  ${agent}  ${visible(what)}`,
    `    session ${visible(sessionId)}${cwd === undefined ? "" : `, in ${visible(cwd)}`}, ${visible(at.file)}:${at.line}`,
  ];
}

function short(command: string): string {
  const [first = ""] = command.split("\n");
  return command.length <= 200 && first === command
    ? command
    : `${first.slice(0, 200)} … (${command.length} characters)`;
}
