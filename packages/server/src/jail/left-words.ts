import { quoteWord, visible } from "@countersign/sdk";
import type { JailReport } from "./jails.ts";

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
