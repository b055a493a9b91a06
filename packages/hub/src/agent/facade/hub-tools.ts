import { EditFileTool } from "../files/edit-file-tool.ts";
import { ListDirTool } from "../files/list-dir-tool.ts";
import { ReadFileTool } from "../files/read-file-tool.ts";
import { WriteFileTool } from "../files/write-file-tool.ts";
import { BashTool } from "../tools/bash-tool.ts";
import type { Bound, HubTool } from "../tools/hub-tool.ts";
import type { ToolConfig, ToolDefinition } from "../tools/tool.ts";

const KINDS = [BashTool, ReadFileTool, WriteFileTool, EditFileTool, ListDirTool];

/** All that we have. */
export function hubTools(approvalManager: Bound, config: ToolConfig): HubTool[] {
  return KINDS.map((Kind) => new Kind(approvalManager, config));
}

/** What a model is told about them, for whoever has no hub at hand. */
export function toolDefinitions(): ToolDefinition[] {
  const nobody: Bound = {
    get binding(): never {
      throw new Error("A tool that is only described was called");
    },
  };
  return hubTools(nobody, { tools: { timeout: 0, maxOutputBytes: 0 } }).map((tool) => tool.toDefinition());
}
