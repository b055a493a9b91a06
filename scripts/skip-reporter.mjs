// Writes one JSON line for each skipped test, so that scripts/test.mjs can say what was left out and why.
export default async function* skips(source) {
  for await (const event of source) {
    const { skip, todo, name, file } = event.data ?? {};
    if (event.type !== "test:pass" || (!skip && !todo)) continue;
    yield `${JSON.stringify({ name, file, reason: String(skip || todo) })}\n`;
  }
}
