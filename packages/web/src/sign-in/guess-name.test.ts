import assert from "node:assert/strict";
import { test } from "node:test";
import { guessName } from "./guess-name.ts";

test("guessName names the browser and its machine", () => {
  const cases: [userAgent: string, name: string][] = [
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36",
      "Chrome on Linux",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    ["Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0", "Edge on Windows"],
    ["something else", "Browser"],
  ];
  for (const [userAgent, name] of cases) assert.equal(guessName(userAgent), name);
});
