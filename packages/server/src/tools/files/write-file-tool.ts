import { z } from "zod";
import { type Called, type Desk, HubTool } from "../hub-tool.ts";
import { writeCommand } from "./commands.ts";
import { fileDiff } from "./file-diff.ts";
import { findPlace, missingParent, type Place, refuseUnlessFile } from "./find-place.ts";
import { contentSchema, pathSchema } from "./path-schema.ts";
import { readCurrent } from "./read-current.ts";

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
  const parent = missingParent(place);
  const command = writeCommand({ path: place.operand, content, oldHash: undefined, parent });
  return desk.propose({ command, cwd: place.workspace, diff: fileDiff("", content) });
}

async function replaceFile(place: Place, content: string, desk: Desk): Promise<Called> {
  refuseUnlessFile(place);
  const { operand: path, workspace: cwd } = place;
  // Too much to write is said before the old content is read.
  writeCommand({ path, content, oldHash: "" });
  const reading = await readCurrent(place, desk);
  if ("stopped" in reading) return reading.stopped;
  const { hash, text } = reading.current;
  const diff =
    text === undefined ? "\\ What it holds now can't be shown; all of it is replaced" : fileDiff(text, content);
  return await desk.propose({ command: writeCommand({ path, content, oldHash: hash }), cwd, diff });
}
