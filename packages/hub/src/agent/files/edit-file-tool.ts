import { fileDiff } from "@countersign/core/redaction";
import * as z from "zod";
import {
  type CallResult,
  findPlace,
  HubTool,
  type Place,
  refuseUnlessFile,
  ToolError,
  type ToolHost,
} from "../tools/index.ts";
import { contentSchema, pathSchema } from "./path-schema.ts";
import { MAX_COMPARED_BYTES, readCurrent } from "./read-current.ts";
import { replaceCommand } from "./write-commands.ts";

const inputSchema = z
  .strictObject({
    path: pathSchema,
    oldText: contentSchema.min(1).describe("The text to replace, exactly as the file has it"),
    newText: contentSchema.describe("What stands there afterwards"),
    replaceAll: z.boolean().default(false).describe("Every occurrence; else there must be exactly one"),
  })
  .refine(({ oldText, newText }) => oldText !== newText, "newText: is the same as oldText");
type Edit = z.infer<typeof inputSchema>;

export class EditFileTool extends HubTool<typeof inputSchema> {
  readonly name = "edit_file";
  readonly description = "Replaces a text in a file of the workspace.";
  readonly requiresApproval = true;
  readonly inputSchema = inputSchema;

  protected async call(edit: Edit, host: ToolHost): Promise<CallResult> {
    const place = findPlace(edit.path, host.roots);
    refuseUnlessEditable(place);
    const reading = await readCurrent(place, host);
    if ("stopped" in reading) return reading.stopped;
    const { hash, text } = reading.current;
    if (text === undefined) {
      const why = "isn't text, or holds something that agents aren't shown, such as a key";
      throw new ToolError("NOT_SHOWN", `${place.operand} ${why}: written back as it was read, it would be lost`);
    }
    const content = apply(edit, text, place);
    const command = replaceCommand({ path: place.operand, content, oldHash: hash, oldText: text });
    return await host.propose({ command, cwd: place.workspace, diff: fileDiff(text, content) });
  }
}

function refuseUnlessEditable(place: Place): void {
  refuseUnlessFile(place);
  const bytes = place.stat?.size ?? 0;
  if (bytes <= MAX_COMPARED_BYTES) return;
  throw new ToolError("TOO_LARGE", `${place.operand} has ${bytes} bytes; at most ${MAX_COMPARED_BYTES} can be edited`);
}

function apply({ oldText, newText, replaceAll }: Edit, text: string, { operand }: Place): string {
  const parts = text.split(oldText);
  const found = parts.length - 1;
  if (found === 0) throw new ToolError("NO_MATCH", `${operand} doesn't hold oldText; read it again`);
  if (found > 1 && !replaceAll) {
    throw new ToolError("AMBIGUOUS", `${operand} holds oldText ${found} times; give more of it, or set replaceAll`);
  }
  return parts.join(newText);
}
