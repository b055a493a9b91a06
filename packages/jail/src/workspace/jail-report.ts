import { quoteWord, visible } from "@countersign/protocol/text";

/** What the jail saw of a run. */
export interface JailReport {
  /** Connections that it refused, in words. */
  readonly refused: readonly string[];
  /** What the run left that would start code, and where it is now. */
  readonly quarantined: readonly { readonly path: string; readonly at: string }[];
  /** What started code before and was changed, by whomever, and where it is now. */
  readonly changed: readonly { readonly path: string; readonly at: string }[];
  /** What started code before and is gone. */
  readonly vanished: readonly string[];
  /** What may start code and couldn't be taken away or looked at. */
  readonly unsure: readonly { readonly path: string; readonly code: string }[];
  /** What it had too little of. */
  readonly exceeded: readonly string[];
  /** What it couldn't read. */
  readonly hidden: readonly string[];
  /** What starts code, and could be neither changed nor removed. */
  readonly held: readonly string[];
  /** What is around that or around what is hidden, and so couldn't be renamed or removed. */
  readonly pinned: readonly string[];
  /** Files that are hidden and git knows. */
  readonly tracked: readonly string[];
}

type Left = Pick<JailReport, "quarantined" | "changed" | "vanished" | "unsure">;

/** What a run left that starts code, in sentences for the agent and the person; none where there is nothing. */
export function leftWords({ quarantined, changed, vanished, unsure }: Left): string[] {
  return [
    ...told(quarantined.map(pathOf), (paths) => `It left what would start code, which was taken away: ${paths}.`),
    ...told(
      changed.map(pathOf),
      (paths) =>
        `What starts code was changed while it ran, by it, by another run or by somebody else, and was taken away: ${paths}. ${howToTakeBack(changed)}`,
    ),
    ...told(vanished, (paths) => `What starts code was removed while it ran: ${paths}.`),
    ...told(unsure.map(pathOf), (paths) => `What starts code may be left, which a person should look at: ${paths}.`),
  ];
}

function told(paths: readonly string[], sentence: (paths: string) => string): string[] {
  return paths.length === 0 ? [] : [sentence(some(paths))];
}

const WITH_COMMAND = 3;

/** Somebody's editor may have saved it in that very moment. */
function howToTakeBack(changed: Left["changed"]): string {
  const commands = changed
    .slice(0, WITH_COMMAND)
    .map(({ path, at }) => `\`mv ${visible(quoteWord(at))} ${visible(quoteWord(path))}\``);
  const rest = changed.length > WITH_COMMAND ? ", and so on (manifest.json there names each)" : "";
  return `If you changed it yourself, put it back once no command runs there: ${commands.join(", ")}${rest}.`;
}

const NAMED = 8;

/** The command chose these names. */
export function some(paths: readonly string[]): string {
  const rest = paths.length > NAMED ? [`and ${paths.length - NAMED} more`] : [];
  return [...paths.slice(0, NAMED).map(visible), ...rest].join(", ");
}

function pathOf({ path }: { readonly path: string }): string {
  return path;
}
