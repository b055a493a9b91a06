import * as z from "zod";
import { type CallResult, findPlace, HubTool, refuseUnlessFile, type ToolHost } from "../tools/index.ts";
import { pathSchema } from "./path-schema.ts";
import { readCommand } from "./read-commands.ts";

const lineSchema = z.int().min(1).max(1_000_000_000).optional();

const inputSchema = z
  .strictObject({
    path: pathSchema,
    startLine: lineSchema.describe("First line to read, from 1"),
    endLine: lineSchema.describe("Last line to read"),
  })
  .refine(({ startLine = 1, endLine = startLine }) => startLine <= endLine, "endLine: comes before startLine");

export class ReadFileTool extends HubTool<typeof inputSchema> {
  readonly name = "read_file";
  readonly description = "Reads a text file of the workspace, or some of its lines.";
  readonly requiresApproval = false;
  readonly inputSchema = inputSchema;

  protected call({ path, ...range }: z.infer<typeof inputSchema>, host: ToolHost): Promise<CallResult> {
    const place = findPlace(path, host.roots);
    refuseUnlessFile(place);
    return host.propose({ command: readCommand(place.operand, range), cwd: place.workspace });
  }
}
