import { rotateOffline } from "@countersign/hub";
import { type KeyRotated, keyRotatedSchema } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import { EXIT, type GlobalOptions, homeDirOf } from "../base/index.ts";
import { callHttp } from "../connect/index.ts";
import { hubIfAny, offline } from "../offline/index.ts";
import { askYes, printJson, printLines } from "../terminal/index.ts";

const ABOUT = [
  "The key that signs the record is replaced by the one that it has committed to, and destroyed.",
  "Whoever trusts the first key needs nothing new. What can't be gone on with any more: copies of the",
  "database from before the change. Make a backup afterwards.",
];

/** Through the hub where one runs, which goes on meanwhile; else the home is held. */
export async function rotate(options: GlobalOptions & { readonly yes?: boolean }): Promise<number> {
  if (!options.yes) {
    const unasked = "Nobody can be asked here: give --yes.";
    await askYes(ABOUT, { question: "Change the key?", unasked, refused: "Nothing was changed." }, options);
  }
  const rotated = await change(options);
  if (options.json) printJson(rotated);
  else
    printLines([
      `The key was changed: receipt ${rotated.seq} ${rotated.hash}`,
      `now:    ${visible(rotated.key)}`,
      `before: ${visible(rotated.replaced)} (destroyed)`,
    ]);
  return EXIT.ok;
}

async function change(options: GlobalOptions): Promise<KeyRotated> {
  const hub = await hubIfAny(options);
  if (!hub) return await offline(() => rotateOffline(homeDirOf(options)));
  const call = { method: "POST", path: "/api/v1/receipts/rotate", body: { confirm: true } } as const;
  return (await callHttp(hub, call, keyRotatedSchema)).value;
}
