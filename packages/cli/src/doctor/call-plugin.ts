import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { quoteWord } from "@countersign/protocol/text";
import { type HookCommand, opencodePlugin } from "../agents/index.ts";

/** Calls the plugin before a tool, as OpenCode does: what it throws is a denial. What can't be read is put to it too. */
const CALLER = `
import { readFileSync } from "node:fs";
let event = {};
try { event = JSON.parse(readFileSync(0, "utf8")); } catch {}
const { Countersign } = await import(process.argv[2]);
const { tool, sessionID, callID, args } = event;
const hooks = await Countersign({ client: {}, directory: process.cwd() });
try {
  await hooks["tool.execute.before"]({ tool, sessionID, callID }, { args });
} catch (cause) {
  console.error(cause.message);
  process.exit(2);
}
`;

/** A copy of the plugin that differs in its settings alone, and what calls it. */
export function pluginCommand(installed: HookCommand, dir: string): string {
  const [plugin, caller] = [join(dir, `${randomUUID()}.mjs`), join(dir, `${randomUUID()}.mjs`)];
  writeFileSync(plugin, opencodePlugin(installed), { mode: 0o600 });
  writeFileSync(caller, CALLER, { mode: 0o600 });
  return [process.execPath, caller, plugin].map(quoteWord).join(" ");
}
