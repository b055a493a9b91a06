import { ListDirTool, ReadFileTool } from "../files/index.ts";
import { type Tool, type ToolDefinition, ToolError } from "../tools/index.ts";

/** What model providers take as a name. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Seed 003's: the tools that an agent has. */
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
 * Known of our own readers alone, whose every step is a command that policy judges. A subclass may do anything, and of a
 * tool from elsewhere nothing is known but what it says of itself.
 */
function hasNoEffects(tool: Tool): boolean {
  const kind = Object.getPrototypeOf(tool);
  if (kind !== ReadFileTool.prototype && kind !== ListDirTool.prototype) return false;
  return !Object.hasOwn(tool, "execute") && !Object.hasOwn(tool, "run");
}
