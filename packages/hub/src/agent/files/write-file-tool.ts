import { fileDiff } from "@countersign/core/redaction";
import * as z from "zod";
import {
  type CallResult,
  findPlace,
  HubTool,
  missingParent,
  type Place,
  refuseUnlessFile,
  ToolError,
  type ToolHost,
} from "../tools/index.ts";
import { contentSchema, pathSchema } from "./path-schema.ts";
import { MAX_COMPARED_BYTES, readCurrent } from "./read-current.ts";
import { createCommand, replaceCommand } from "./write-commands.ts";

const inputSchema = z.strictObject({
  path: pathSchema,
  content: contentSchema.describe("All of the file's new content"),
});

export class WriteFileTool extends HubTool<typeof inputSchema> {
  readonly name = "write_file";
  readonly description =
    "Writes a text file of the workspace, in place of what it held. Makes its directory if need be.";
  readonly requiresApproval = true;
  readonly inputSchema = inputSchema;

  protected call({ path, content }: z.infer<typeof inputSchema>, host: ToolHost): Promise<CallResult> {
    const place = findPlace(path, host.roots);
    return place.stat ? replaceFile(place, content, host) : createFile(place, content, host);
  }
}

function createFile(place: Place, content: string, host: ToolHost): Promise<CallResult> {
  const command = createCommand(place.operand, content, missingParent(place));
  return host.propose({ command, cwd: place.workspace, diff: fileDiff("", content) });
}

async function replaceFile(place: Place, content: string, host: ToolHost): Promise<CallResult> {
  refuseUnlessFile(place);
  const { operand: path, workspace: cwd } = place;
  if (Buffer.byteLength(content) > MAX_COMPARED_BYTES) {
    throw new ToolError("TOO_LARGE", `${path}: at most ${MAX_COMPARED_BYTES} bytes can be written`);
  }
  const reading = await readCurrent(place, host);
  if ("stopped" in reading) return reading.stopped;
  const { hash, text } = reading.current;
  const diff =
    text === undefined ? "\\ What it holds now can't be shown; all of it is replaced" : fileDiff(text, content);
  return await host.propose({ command: replaceCommand({ path, content, oldHash: hash, oldText: text }), cwd, diff });
}
