import { ListDirTool, ReadFileTool } from "../files/index.ts";
import { type Tool, type ToolDefinition, ToolError } from "../tools/index.ts";

/** Names that model providers accept. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The tools that an agent has (seed 003). */
export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  register(tool: Tool): void {
    const { name } = tool;
    if (!NAME.test(name)) {
      throw new ToolError(
        "INVALID_INPUT",
        `${JSON.stringify(name)} can't be a tool's name: 1 to 64 of A-Z a-z 0-9 _ -`,
      );
    }
    if (this.#tools.has(name)) throw new ToolError("DUPLICATE_TOOL", `There's a tool ${name} already`);
    if (tool.requiresApproval !== true && !hasNoEffects(tool)) {
      throw new ToolError("NEEDS_APPROVAL", `${name}: only a tool without effects may do without approval`);
    }
    this.#tools.set(name, tool);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  all(): Tool[] {
    return [...this.#tools.values()];
  }

  toDefinitions(): ToolDefinition[] {
    return this.all().map((tool) => tool.toDefinition());
  }
}

/**
 * Only the hub's own readers count: their every step is a command that policy judges. A subclass or a foreign tool
 * could do anything.
 */
function hasNoEffects(tool: Tool): boolean {
  const kind = Object.getPrototypeOf(tool);
  if (kind !== ReadFileTool.prototype && kind !== ListDirTool.prototype) return false;
  return !Object.hasOwn(tool, "execute") && !Object.hasOwn(tool, "run");
}
