import { pauseResultSchema } from "@countersign/sdk";
import { findHub } from "../connect/find-hub.ts";
import { callHttp } from "../connect/http.ts";
import { EXIT } from "../exit-codes.ts";
import { ourName } from "../our-name.ts";
import type { GlobalOptions } from "../settings.ts";
import { printJson, printLines } from "../show/print.ts";

export async function pause(options: GlobalOptions & { readonly kill?: boolean }): Promise<number> {
  const hub = await findHub(options);
  const body = options.kill ? { kill: true } : {};
  const { value } = await callHttp(hub, { method: "POST", path: "/api/v1/pause", body }, pauseResultSchema);
  if (options.json) printJson({ paused: true, ...(options.kill ? { ended: value.ended ?? 0 } : {}) });
  else {
    const running = options.kill ? `${value.ended ?? 0} running were ended` : "what runs goes on";
    const held = `everything new is denied, what waits can't be allowed, ${running}`;
    printLines([`Paused: ${held}.`, `End it with: ${ourName()} resume`]);
  }
  return EXIT.ok;
}
