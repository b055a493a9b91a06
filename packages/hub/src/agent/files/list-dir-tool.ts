import * as z from "zod";
import { type Called, type Desk, findPlace, HubTool, refuseUnlessDirectory } from "../tools/index.ts";
import { pathSchema } from "./path-schema.ts";
import { listCommand } from "./read-commands.ts";

const inputSchema = z.strictObject({ path: pathSchema.default(".") });

export class ListDirTool extends HubTool<typeof inputSchema> {
  readonly name = "list_dir";
  readonly description = "Lists a directory of the workspace.";
  readonly requiresApproval = false;
  readonly inputSchema = inputSchema;

  protected call({ path }: z.infer<typeof inputSchema>, desk: Desk): Promise<Called> {
    const place = findPlace(path, desk.roots);
    refuseUnlessDirectory(place);
    return desk.propose({ command: listCommand(place.operand), cwd: place.workspace });
  }
}
