import { visible } from "@countersign/protocol/text";
import { pauseResultSchema } from "@countersign/protocol/wire";
import { EXIT, type GlobalOptions, ourName } from "../base/index.ts";
import { callHttp, findHub } from "../connect/index.ts";
import { printJson, printLines } from "../terminal/index.ts";

export async function pause(options: GlobalOptions & { readonly kill?: boolean }): Promise<number> {
  const hub = await findHub(options);
  const body = options.kill ? { kill: true } : {};
  const { value } = await callHttp(hub, { method: "POST", path: "/api/v1/pause", body }, pauseResultSchema);
  const { ended = 0, unrecorded } = value;
  if (options.json)
    printJson({
      paused: true,
      ...(options.kill ? { ended } : {}),
      ...(unrecorded === undefined ? {} : { unrecorded }),
    });
  else {
    const running = options.kill ? `${ended} running ${ended === 1 ? "was" : "were"} ended` : "what runs goes on";
    const held = `everything new is denied, what waits can't be allowed, ${running}`;
    const lost =
      unrecorded === undefined
        ? []
        : [
            `The pause can't be put on record: ${visible(unrecorded)}`,
            "It holds while this hub runs, and is recorded once that works again.",
          ];
    printLines([`Paused: ${held}.`, ...lost, `End it with: ${ourName()} resume`]);
  }
  return EXIT.ok;
}
