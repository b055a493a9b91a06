import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { writeFileAtomically } from "@countersign/core/base";
import type { Home } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";

const SHORTEST = 8;
const LONGEST = 512;

/** The first approver's token: `COUNTERSIGN_TOKEN`, or one made at the first start and kept in a file for its owner. */
export async function bootstrapToken(home: Home, given: string | undefined): Promise<string> {
  if (given !== undefined && given !== "") return checked(given, "COUNTERSIGN_TOKEN");
  if (existsSync(home.token)) {
    chmodSync(home.token, 0o600);
    return checked(readFileSync(home.token, "utf8").trim(), home.token);
  }
  const token = `cs_${randomBytes(32).toString("base64url")}`;
  await writeFileAtomically(home.token, `${token}\n`);
  return token;
}

function checked(token: string, where: string): string {
  if (token.length >= SHORTEST && token.length <= LONGEST && /^[\x21-\x7e]+$/.test(token)) return token;
  const rule = `${SHORTEST} to ${LONGEST} printable characters without spaces`;
  throw new StartError("TOKEN_INVALID", `The token in ${where} must have ${rule}.`);
}
