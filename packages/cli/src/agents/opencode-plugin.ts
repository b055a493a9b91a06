import type { HookCommand } from "./hook-command.ts";
import { OPENCODE_PLUGIN, readShipped } from "./hook-files.ts";

/** One whole file, since a plugin that can't load another gates nothing. The first line has what `install` knows. */
export function opencodePlugin({ home, key, deadlineMs, node, hook }: HookCommand): string {
  const settings = { home, key, deadlineMs, node, hook };
  return `const SETTINGS = ${JSON.stringify(settings)};\n${readShipped(OPENCODE_PLUGIN)}`;
}

/** Whether a file at the plugin's place was put there by us, in this version or another. */
export function isOurPlugin(text: string): boolean {
  return text.startsWith("const SETTINGS = {") && text.includes("countersign-hook.cjs");
}

/** Undefined unless it is ours, byte for byte. */
export function readPlugin(text: string): HookCommand | undefined {
  const line = /^const SETTINGS = (\{.*\});\n/.exec(text)?.[1];
  if (line === undefined) return undefined;
  try {
    const command = { ...(JSON.parse(line) as Omit<HookCommand, "agent">), agent: "opencode" } as const;
    return opencodePlugin(command) === text ? command : undefined;
  } catch {
    return undefined;
  }
}
