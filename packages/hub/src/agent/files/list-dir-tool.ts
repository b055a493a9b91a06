import * as z from "zod";
import { type CallResult, findPlace, HubTool, refuseUnlessDirectory, type ToolHost } from "../tools/index.ts";
import { pathSchema } from "./path-schema.ts";
import { listCommand } from "./read-commands.ts";

const inputSchema = z.strictObject({ path: pathSchema.default(".") });

export class ListDirTool extends HubTool<typeof inputSchema> {
  readonly name = "list_dir";
  readonly description = "Lists a directory of the workspace.";
  readonly requiresApproval = false;
  readonly inputSchema = inputSchema;

  protected call({ path }: z.infer<typeof inputSchema>, host: ToolHost): Promise<CallResult> {
    const place = findPlace(path, host.roots);
    refuseUnlessDirectory(place);
    return host.propose({ command: listCommand(place.operand), cwd: place.workspace });
  }
}
