import { AGENTS, type HookedAgent } from "@countersign/protocol/access";
import { append, type Layout, layoutOf, remove, splice, write } from "./edit.ts";
import { isOurs } from "./hook-command.ts";
import { type JsonArray, type JsonNode, type JsonObject, memberOf, parseJson, plainValue } from "./parse.ts";

/** An item of an event's list: a group of handlers, or for Cursor the handler itself. */
type Item = Readonly<Record<string, unknown>>;

/** Gemini CLI strips comments before it reads; the others take none. */
export function takesComments(agent: HookedAgent): boolean {
  return agent === "gemini";
}

/** What stands in the agent's settings for us, event by event. */
export function wantedHooks(agent: HookedAgent, command: string): Record<string, Item> {
  const { hook } = AGENTS[agent];
  if (hook.kind === "plugin") return {};
  const item = (timeout: number) => ITEM_OF[agent]({ command, timeout });
  const report = hook.timeoutUnit === "s" ? 60 : 60_000;
  return Object.fromEntries([
    ...hook.gates.map((event) => [event, item(hook.timeout)] as const),
    ...hook.reports.map((event) => [event, item(report)] as const),
  ]);
}

interface Handler {
  readonly command: string;
  readonly timeout: number;
}

/** All tools: one that we don't know yet must not pass unseen. */
const ITEM_OF: Record<HookedAgent, (handler: Handler) => Item> = {
  "claude-code": (handler) => ({ matcher: "*", hooks: [{ type: "command", ...handler, onFailure: "block" }] }),
  codex: (handler) => ({ matcher: ".*", hooks: [{ type: "command", ...handler }] }),
  gemini: (handler) => ({ hooks: [{ name: "countersign", type: "command", ...handler }] }),
  cursor: (handler) => ({ ...handler, failClosed: true }),
  opencode: (handler) => ({ ...handler }),
};

/** The text with exactly these as ours: in place where they stand already, after everybody else's where not. */
export function withHooks(agent: HookedAgent, text: string, wanted: Readonly<Record<string, Item>>): string {
  let edited = text.trim() === "" ? (agent === "cursor" ? '{\n  "version": 1\n}\n' : "{}\n") : text;
  for (const event of eventsIn(agent, edited, wanted)) {
    edited = withoutStale(agent, edited, event, wanted[event]);
    const item = wanted[event];
    if (item !== undefined) edited = withItem(agent, edited, event, item);
  }
  return withoutEmpty(agent, edited);
}

/** Every event that has one of ours, also where an earlier version had put it. */
function eventsIn(agent: HookedAgent, text: string, wanted: Readonly<Record<string, Item>>): string[] {
  const hooks = memberOf(read(agent, text), "hooks")?.value;
  const there = hooks?.kind === "object" ? hooks.members : [];
  const ours = there.filter(({ value }) => value.kind === "array" && value.items.some(holdsOurs)).map(({ key }) => key);
  return [...new Set([...Object.keys(wanted), ...ours])];
}

/** Ours are taken out, but one that is ours alone and stays to be replaced. */
function withoutStale(agent: HookedAgent, text: string, event: string, item: Item | undefined): string {
  let edited = text;
  let keep = item !== undefined;
  for (let index = 0; ; ) {
    const list = listOf(agent, edited, event);
    const found = list?.items[index];
    if (list === undefined || found === undefined) return edited;
    if (keep && isOursAlone(found)) {
      keep = false;
      index += 1;
    } else if (isOursAlone(found)) edited = splice(edited, remove(edited, list, index));
    else {
      edited = withoutHandlers(edited, found);
      index += 1;
    }
  }
}

/** Ours in a group that somebody shares with us. From the end, so that the places before stay true. */
function withoutHandlers(text: string, group: JsonNode): string {
  const handlers = memberOf(group, "hooks")?.value;
  if (handlers?.kind !== "array") return text;
  const ours = handlers.items.flatMap((handler, index) => (isOursAlone(handler) ? [index] : []));
  return ours.reduceRight((edited, index) => splice(edited, remove(edited, handlers, index)), text);
}

function withItem(agent: HookedAgent, text: string, event: string, item: Item): string {
  const layout = layoutOf(text);
  const root = read(agent, text);
  const hooks = memberOf(root, "hooks")?.value;
  if (hooks === undefined)
    return splice(text, append(root, member("hooks", { [event]: [item] }, layout, 1), layout, 1));
  if (hooks.kind !== "object") throw new Error(`"hooks" isn't an object`);
  const list = memberOf(hooks, event)?.value;
  if (list === undefined) return splice(text, append(hooks, member(event, [item], layout, 2), layout, 2));
  if (list.kind !== "array") throw new Error(`"hooks.${event}" isn't a list`);
  const there = list.items.find(isOursAlone);
  if (there === undefined) return splice(text, append(list, write(item, layout, 3), layout, 3));
  if (JSON.stringify(plainValue(there)) === JSON.stringify(item)) return text;
  return splice(text, { ...there, text: write(item, layout, 3) });
}

/** Lists that we have emptied, and `hooks` where nothing is left in it. */
function withoutEmpty(agent: HookedAgent, text: string): string {
  const hooks = memberOf(read(agent, text), "hooks")?.value;
  if (hooks?.kind !== "object") return text;
  const { gates, reports } = AGENTS[agent].hook as { gates: readonly string[]; reports: readonly string[] };
  const index = hooks.members.findIndex(
    ({ key, value }) => [...gates, ...reports].includes(key) && value.kind === "array" && value.items.length === 0,
  );
  if (index !== -1) return withoutEmpty(agent, splice(text, remove(text, hooks, index)));
  if (hooks.members.length > 0) return text;
  const root = read(agent, text);
  const at = root.members.findIndex(({ key }) => key === "hooks");
  return splice(text, remove(text, root, at));
}

/** Ours in a settings file, with where they stand: Codex knows a hook by its place. */
export interface OurHook {
  readonly event: string;
  readonly group: number;
  readonly item: Item;
  readonly command: string;
}

export function findOurs(agent: HookedAgent, text: string): OurHook[] {
  const hooks = memberOf(read(agent, text), "hooks")?.value;
  const events = hooks?.kind === "object" ? hooks.members : [];
  return events.flatMap(({ key: event, value }) =>
    (value.kind === "array" ? value.items : []).flatMap((node, group) => {
      const item = plainValue(node) as Item;
      return commandsOf(item)
        .filter(isOurs)
        .map((command) => ({ event, group, item, command: String(command) }));
    }),
  );
}

function read(agent: HookedAgent, text: string): JsonObject {
  const node = parseJson(text, { comments: takesComments(agent) });
  if (node.kind !== "object") throw new Error("it isn't an object");
  return node;
}

function listOf(agent: HookedAgent, text: string, event: string): JsonArray | undefined {
  const hooks = memberOf(read(agent, text), "hooks")?.value;
  const list = hooks && memberOf(hooks, event)?.value;
  return list?.kind === "array" ? list : undefined;
}

function commandsOf(item: unknown): unknown[] {
  if (typeof item !== "object" || item === null) return [];
  const { command, hooks } = item as { command?: unknown; hooks?: unknown };
  return [command, ...(Array.isArray(hooks) ? hooks.map((hook) => (hook as Item | null)?.command) : [])].filter(
    (found) => found !== undefined,
  );
}

function holdsOurs(node: JsonNode): boolean {
  return commandsOf(plainValue(node)).some(isOurs);
}

function isOursAlone(node: JsonNode): boolean {
  const commands = commandsOf(plainValue(node));
  return commands.length > 0 && commands.every(isOurs);
}

function member(key: string, value: unknown, layout: Layout, depth: number): string {
  return `${JSON.stringify(key)}:${layout.indent === "" ? "" : " "}${write(value, layout, depth)}`;
}
