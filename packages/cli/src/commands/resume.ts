import { answerResultSchema } from "@countersign/sdk";
import { findHub } from "../connect/find-hub.ts";
import { callHttp } from "../connect/http.ts";
import { EXIT } from "../exit-codes.ts";
import type { GlobalOptions } from "../settings.ts";
import { printJson, printLines } from "../show/print.ts";

export async function resume(options: GlobalOptions): Promise<number> {
  const hub = await findHub(options);
  await callHttp(hub, { method: "POST", path: "/api/v1/resume", body: {} }, answerResultSchema);
  if (options.json) printJson({ paused: false });
  else printLines(["Resumed: proposals are taken again."]);
  return EXIT.ok;
}
