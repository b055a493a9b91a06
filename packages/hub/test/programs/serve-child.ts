// A hub in a process of its own, for tests that kill it. Arguments: home, workspace. Says where it listens, or why not.

import { silentLog } from "@countersign/core/base";
import { StartError } from "@countersign/core/errors";
import { serve } from "../../src/serve.ts";

const [homeDir = "", cwd = ""] = process.argv.slice(2);
try {
  const served = await serve({ homeDir, cwd, log: silentLog, port: 0, token: process.env.COUNTERSIGN_TOKEN });
  console.log(JSON.stringify({ url: served.url }));
  if (process.env.CLOSE) await served.close();
} catch (cause) {
  if (!(cause instanceof StartError)) throw cause;
  console.log(JSON.stringify({ code: cause.code, message: cause.message }));
}
