import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { type Addresses, addressesSchema, phoneOriginsOf } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import { CliError, EXIT, type GlobalOptions, homeDirOf, ourName } from "../../base/index.ts";
import { callHttp, findHub, type HttpHub } from "../../connect/index.ts";
import { keepAddress, qrLines, remotePairing, runPairing } from "../../pair/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";

export interface PhoneOptions extends GlobalOptions {
  readonly address?: string;
  readonly lan?: string;
}

/** `countersign phone`: shows a code to scan where a phone can reach this hub, and else how it could. */
export async function phone(options: PhoneOptions): Promise<number> {
  if (options.address !== undefined || options.lan !== undefined) return keep(options);
  const hub = await findHub(options);
  const { value } = await callHttp(hub, { method: "GET", path: "/api/v1/addresses" }, addressesSchema);
  if (options.json) {
    printJson(value);
    return EXIT.ok;
  }
  const [origin] = phoneOriginsOf(value);
  if (origin === undefined) {
    printLines(waysLines(hub));
    return EXIT.failed;
  }
  return await runPairing(remotePairing(hub, options), (code) => scanLines(origin, code, value));
}

function keep({ address, lan, ...options }: PhoneOptions): number {
  const origin = address === undefined ? undefined : originOf(address);
  if (lan !== undefined && isIP(lan) === 0)
    throw new CliError("INVALID_PARAMS", `${visible(lan)} isn't an address.`, { exitCode: EXIT.usage });
  const path = keepAddress(homeDirOf(options), {
    ...(origin === undefined ? {} : { origin }),
    ...(lan === undefined ? {} : { lan }),
  });
  if (options.json) printJson({ config: path });
  else printLines([`Kept in ${visible(path)}. Restart the hub, then: ${ourName()} phone`]);
  return EXIT.ok;
}

function originOf(address: string): string {
  const url = URL.parse(address);
  if (url?.protocol === "https:" && url.username === "") return url.origin;
  const rule = "https://… as the phone's browser will show it";
  throw new CliError("INVALID_PARAMS", `${visible(address)} can't be used: give ${rule}.`, { exitCode: EXIT.usage });
}

function scanLines(origin: string, code: string, { ca, addresses }: Addresses): string[] {
  const link = `${origin}/#pair=${code}`;
  const rests = ca !== null && addresses.some((address) => address.origin === origin && address.from === "network");
  return [
    ...(rests ? trustLines(origin, ca) : []),
    "Scan this with the phone within 2 minutes:",
    ...qrLines(link),
    `  ${link}`,
  ];
}

function trustLines(origin: string, { path, sha256 }: NonNullable<Addresses["ca"]>): string[] {
  return [
    `Once, before that: open ${origin}${path} on the phone and install it as a trusted certificate. It counts for`,
    "addresses of private networks only. Its SHA-256, which the phone shows, must be",
    `  ${sha256}`,
  ];
}

function waysLines({ url }: HttpHub): string[] {
  const name = ourName();
  const { port } = new URL(url);
  const [lan = "<address of this machine>"] = lanAddresses();
  return [
    `A phone can't reach this hub: it listens on ${url} only. There are two ways.`,
    "An HTTPS address that leads here already, such as Tailscale's:",
    `  tailscale serve --bg ${port}`,
    `  ${name} phone --address https://<machine>.<tailnet>.ts.net`,
    "Your own network, with a certificate from a CA of our own that the phone is to trust:",
    `  ${name} phone --lan ${lan}`,
    `Then restart the hub, and run \`${name} phone\` again.`,
  ];
}

function lanAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
}
