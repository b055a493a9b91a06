// A reporter that lists every skipped test with its reason. In CI, a skip that .ci/allowed-skips doesn't name fails the run.
import { readFileSync } from "node:fs";

const ALLOWED = new URL("../../.ci/allowed-skips", import.meta.url);

export default async function* listSkips(source) {
  const allowed = readFileSync(ALLOWED, "utf8")
    .split("\n")
    .map((line) => line.split("#")[0].trim());
  for await (const { type, data } of source) {
    const reason = data?.skip ?? data?.todo;
    if (type !== "test:pass" || reason === undefined || reason === false) continue;
    yield `skipped: ${data.name}: ${reason}\n`;
    if (!process.env.CI || allowed.includes(data.name)) continue;
    yield "         .ci/allowed-skips doesn't name it.\n";
    process.exitCode = 1;
  }
}
