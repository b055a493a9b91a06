import { trialSentence, UNDIFFED_WORDS } from "@countersign/protocol/describe";
import type { FileChange, FileState, Preview } from "@countersign/protocol/proposals";
import { visible, visibleLines } from "@countersign/protocol/text";
import { quoted } from "../terminal/index.ts";

/** One line of ours, or one that the command or a file has said, which must not pass for ours. */
export interface PreviewLine {
  readonly whose: "ours" | "theirs";
  readonly text: string;
}

/** What a command did where nothing was kept: how it ended, then the files, then what it printed. */
export function previewLines(preview: Preview, cwd?: string): PreviewLine[] {
  const { outcome, changes, truncated } = preview;
  return [
    ours(trialSentence(outcome)),
    ...(outcome.reason === undefined ? [] : [ours(visible(outcome.reason))]),
    ...(preview.how === undefined ? [] : [ours(countWords(preview))]),
    ...changes.flatMap((change) => changeLines(change, cwd)),
    ...(truncated ? [ours("There is more than is listed here.")] : []),
    ...printed("stdout", outcome.stdout),
    ...printed("stderr", outcome.stderr),
    ...(outcome.truncated ? [ours("It printed more than is shown.")] : []),
  ];
}

/** Whether there was anything to see. */
export function wasRun({ how, outcome }: Preview): boolean {
  return how !== undefined && outcome.kind !== "jail-refused" && outcome.kind !== "not-started";
}

function countWords({ counts: { created, changed, deleted }, how }: Preview): string {
  const where = how === "copy" ? "a copy of the workspace" : "the workspace";
  if (created + changed + deleted === 0) return `It would change nothing in ${where}.`;
  return `In ${where} it would create ${created}, change ${changed} and delete ${deleted}. Nothing of it was kept.`;
}

function changeLines(change: FileChange, cwd: string | undefined): PreviewLine[] {
  const { path, diff, undiffed } = change;
  const inside = cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  const words = [...stateWords(change), ...(undiffed === undefined ? [] : [UNDIFFED_WORDS[undiffed]])];
  return [
    ours(`${change.change} ${quoted(inside)} (${words.join(", ")})`),
    ...(diff === undefined ? [] : visibleLines(diff).map(theirs)),
  ];
}

/** What it is; of something that changed, what of it changed. */
function stateWords({ before, after }: FileChange): string[] {
  if (!before || !after) return before || after ? describe((before ?? after) as FileState) : [];
  const [was, is] = [describe(before), describe(after)];
  const changed = is.flatMap((text, index) => (text === was[index] ? [] : [`${was[index] ?? "nothing"} → ${text}`]));
  return changed.length === 0 ? is : changed;
}

function describe({ type, mode, size, target }: FileState): string[] {
  if (type === "link") return [type, `to ${quoted(target ?? "")}`];
  return [type, `mode ${mode}`, ...(type === "file" ? [`${size} bytes`] : [])];
}

function printed(name: string, text: string | undefined): PreviewLine[] {
  if (!text) return [];
  return [ours(`${name}:`), ...visibleLines(text.replace(/\n$/, "")).map(theirs)];
}

function ours(text: string): PreviewLine {
  return { whose: "ours", text };
}

function theirs(text: string): PreviewLine {
  return { whose: "theirs", text };
}
