// A recorder in a process of its own, for tests that stop and kill it. Argument: its home. Says where its hub connects, or why not.

import { silentLog } from "@countersign/core/base";
import { StartError } from "@countersign/core/errors";
import { startRecorder } from "@countersign/recorder";

const [homeDir = ""] = process.argv.slice(2);
try {
  const recorder = await startRecorder({ homeDir, log: silentLog });
  process.once("SIGTERM", () => void recorder.close());
  console.log(JSON.stringify({ hubSocket: recorder.hubSocket }));
} catch (cause) {
  if (!(cause instanceof StartError)) throw cause;
  console.log(JSON.stringify({ code: cause.code, message: cause.message }));
}
