/** A trace is one command a line; a here-document takes the lines up to its end. */
export function readTrace(text: string): string[] {
  const commands: string[] = [];
  let open: string | undefined;
  for (const line of text.split("\n")) {
    if (open !== undefined) {
      commands[commands.length - 1] += `\n${line}`;
      if (line === open) open = undefined;
    } else if (line !== "") {
      commands.push(line);
      open = /<<'?(\w+)'?/.exec(line)?.[1];
    }
  }
  return commands;
}
