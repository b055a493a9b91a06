/** Rings the terminal that this runs in; a file or a pipe isn't sent a control character. */
export function terminalBell(output: Pick<NodeJS.WriteStream, "isTTY" | "write">): (() => void) | undefined {
  return output.isTTY ? () => void output.write("\x07") : undefined;
}
