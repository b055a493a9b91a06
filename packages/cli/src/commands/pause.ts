import { answerResultSchema } from "@countersign/sdk";
import { findHub } from "../connect/find-hub.ts";
import { callHttp } from "../connect/http.ts";
import { EXIT } from "../exit-codes.ts";
import { ourName } from "../our-name.ts";
import type { GlobalOptions } from "../settings.ts";
import { printJson, printLines } from "../show/print.ts";

export async function pause(options: GlobalOptions): Promise<number> {
  const hub = await findHub(options);
  await callHttp(hub, { method: "POST", path: "/api/v1/pause", body: {} }, answerResultSchema);
  if (options.json) printJson({ paused: true });
  else {
    const held = "everything new is denied, what waits can't be allowed, what runs goes on";
    printLines([`Paused: ${held}.`, `End it with: ${ourName()} resume`]);
  }
  return EXIT.ok;
}
