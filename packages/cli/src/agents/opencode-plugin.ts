import type { HookCommand } from "./hook-command.ts";
import { OPENCODE_PLUGIN, readShipped } from "./hook-files.ts";

/** One whole file, since a plugin that can't load another gates nothing. The first line has what `install` knows. */
export function opencodePlugin({ home, key, deadlineMs, node, hook }: HookCommand): string {
  const settings = { home, key, deadlineMs, node, hook };
  return `const SETTINGS = ${JSON.stringify(settings)};\n${readShipped(OPENCODE_PLUGIN)}`;
}
