import { okSchema } from "@countersign/sdk";
import { EXIT } from "../base/exit-codes.ts";
import type { GlobalOptions } from "../base/settings.ts";
import { findHub } from "../connect/find-hub.ts";
import { callHttp } from "../connect/http.ts";
import { printJson, printLines } from "../terminal/print.ts";
import { quoted } from "../terminal/quoted.ts";

export async function resume(options: GlobalOptions & { readonly session?: string }): Promise<number> {
  const hub = await findHub(options);
  const body = options.session === undefined ? {} : { session: options.session };
  await callHttp(hub, { method: "POST", path: "/api/v1/resume", body }, okSchema);
  const whose = options.session === undefined ? "proposals" : `the proposals of session ${quoted(options.session)}`;
  if (options.json) printJson({ paused: false, ...body });
  else printLines([`Resumed: ${whose} are taken again.`]);
  return EXIT.ok;
}
