import { fileDiff } from "@countersign/core/redaction";
import * as z from "zod";
import {
  type Called,
  type Desk,
  findPlace,
  HubTool,
  missingParent,
  type Place,
  refuseUnlessFile,
  ToolError,
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

  protected call({ path, content }: z.infer<typeof inputSchema>, desk: Desk): Promise<Called> {
    const place = findPlace(path, desk.roots);
    return place.stat ? replaceFile(place, content, desk) : createFile(place, content, desk);
  }
}

function createFile(place: Place, content: string, desk: Desk): Promise<Called> {
  const command = createCommand(place.operand, content, missingParent(place));
  return desk.propose({ command, cwd: place.workspace, diff: fileDiff("", content) });
}

async function replaceFile(place: Place, content: string, desk: Desk): Promise<Called> {
  refuseUnlessFile(place);
  const { operand: path, workspace: cwd } = place;
  if (Buffer.byteLength(content) > MAX_COMPARED_BYTES) {
    throw new ToolError("TOO_LARGE", `${path}: at most ${MAX_COMPARED_BYTES} bytes can be written`);
  }
  const reading = await readCurrent(place, desk);
  if ("stopped" in reading) return reading.stopped;
  const { hash, text } = reading.current;
  const diff =
    text === undefined ? "\\ What it holds now can't be shown; all of it is replaced" : fileDiff(text, content);
  return await desk.propose({ command: replaceCommand({ path, content, oldHash: hash, oldText: text }), cwd, diff });
}
