import { okSchema } from "@countersign/protocol/access";
import { EXIT, type GlobalOptions } from "../base/index.ts";
import { callHttp, findHub } from "../connect/index.ts";
import { printJson, printLines, quoted } from "../terminal/index.ts";

export async function resume(options: GlobalOptions & { readonly session?: string }): Promise<number> {
  const hub = await findHub(options);
  const body = options.session === undefined ? {} : { session: options.session };
  await callHttp(hub, { method: "POST", path: "/api/v1/resume", body }, okSchema);
  const whose = options.session === undefined ? "proposals" : `the proposals of session ${quoted(options.session)}`;
  if (options.json) printJson({ paused: false, ...body });
  else printLines([`Resumed: ${whose} are taken again.`]);
  return EXIT.ok;
}
