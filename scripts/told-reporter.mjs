// Writes one JSON line for each test that was skipped or failed, so that scripts/test.mjs can say what was left out and why, and try again what failed.
export default async function* told(source) {
  for await (const event of source) {
    const { skip, todo, name, file, entryFile } = event.data ?? {};
    if (event.type === "test:fail") yield `${JSON.stringify({ failed: true, name, file, entryFile })}\n`;
    else if (event.type === "test:pass" && (skip || todo))
      yield `${JSON.stringify({ name, file, reason: String(skip || todo) })}\n`;
  }
}
