import { basename, type Part } from "../model/index.ts";
import { hasSubcommands, readShape } from "./read-shape.ts";

const MAX_SHAPES = 8;
const MAX_SHAPE_LENGTH = 120;

/**
 * The parts of a command as people speak of them: `npm test`, `git push`. Two commands of the same shape need not do the same; nothing may be
 * allowed by it. Parts that do nothing beside safe things are left out where there are others.
 */
export function nameShapes(parts: readonly Part[]): string[] {
  const asked = parts.filter(({ effects }) => effects.some(({ risk }) => risk !== "safe"));
  const names = (asked.length > 0 ? asked : parts).flatMap((part) => nameShape(part) ?? []);
  return [...new Set(names)].slice(0, MAX_SHAPES);
}

function nameShape({ words, toolCall }: Part): string | undefined {
  const [head, tool] = words;
  if (!head) return undefined;
  const name = [toolCall ? head : basename(head), toolCall ? tool : subcommandOf(words)].filter(Boolean).join(" ");
  return name.length <= MAX_SHAPE_LENGTH ? name : undefined;
}

/** `run build`, `push`: at most two words, and none that may be a file, a number or something else that it is about. */
function subcommandOf(words: Part["words"]): string {
  if (!hasSubcommands(basename(words[0] ?? ""))) return "";
  const chosen = readShape(words)?.subcommand?.split(" ") ?? [];
  return chosen
    .slice(0, 2)
    .filter((word) => /^[A-Za-z][\w:-]*$/.test(word))
    .join(" ");
}
