import { EditFileTool, ListDirTool, ReadFileTool, WriteFileTool } from "../files/index.ts";
import { BashTool, type Bound, type HubTool, type ToolConfig, type ToolDefinition } from "../tools/index.ts";

const KINDS = [BashTool, ReadFileTool, WriteFileTool, EditFileTool, ListDirTool];

/** Returns all of the hub's tools. */
export function hubTools(approvalManager: Bound, config: ToolConfig): HubTool[] {
  return KINDS.map((Kind) => new Kind(approvalManager, config));
}

/** Returns what a model needs to know of the tools, without a hub. */
export function toolDefinitions(): ToolDefinition[] {
  const nobody: Bound = {
    get binding(): never {
      throw new Error("A tool that is only described was called");
    },
  };
  return hubTools(nobody, { tools: { timeout: 0, maxOutputBytes: 0 } }).map((tool) => tool.toDefinition());
}
