import type { ApprovalManager } from "./approval-manager.ts";
import { BashTool } from "./bash-tool.ts";
import { EditFileTool } from "./files/edit-file-tool.ts";
import { ListDirTool } from "./files/list-dir-tool.ts";
import { ReadFileTool } from "./files/read-file-tool.ts";
import { WriteFileTool } from "./files/write-file-tool.ts";
import type { HubTool } from "./hub-tool.ts";
import type { ToolConfig } from "./tool.ts";

/** All that we have. */
export function hubTools(approvalManager: ApprovalManager, config: ToolConfig): HubTool[] {
  return [BashTool, ReadFileTool, WriteFileTool, EditFileTool, ListDirTool].map(
    (Kind) => new Kind(approvalManager, config),
  );
}
