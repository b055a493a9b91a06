import { readFileSync } from "node:fs";
import type { Clock } from "@countersign/core/base";
import type { Config, Home } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import type { Addresses, AddressView } from "@countersign/protocol/access";
import { AllowedOrigins } from "./allowed-origins.ts";
import type { Leaf, OwnCa } from "./own-ca.ts";
import { type PlannedListener, planListeners } from "./plan-listeners.ts";

/** Options of the command line. */
export interface ReachOptions {
  readonly host?: string | undefined;
  /** Uses a certificate of our own CA. */
  readonly tls?: boolean | undefined;
  /** Paths of PEM files. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  readonly insecureLan?: boolean | undefined;
}

/** The hub's addresses, where it listens for them, and their certificates. */
export class Reach {
  readonly origins = new AllowedOrigins();
  readonly planned: readonly PlannedListener[];
  /** False if the address is from config.json: its network may be gone today. */
  readonly networkIsRequired: boolean;
  readonly #options: ReachOptions;
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #proxied: readonly string[];
  #ca: OwnCa | undefined;
  #listening: readonly string[] = [];

  constructor(options: ReachOptions, { home, clock, config }: { home: Home; clock: Clock; config: Config }) {
    const { lan, origins } = config.page;
    this.#options = options;
    this.#home = home;
    this.#clock = clock;
    this.#proxied = origins;
    this.networkIsRequired = options.host !== undefined;
    this.planned = options.host === undefined && lan !== undefined ? planListeners(fromConfig(lan)) : planned(options);
    for (const origin of origins) this.origins.add(origin);
  }

  /** Loads the CA only if needed, because few hubs have one and its library is large. */
  async certificateFor(address: string): Promise<Leaf> {
    const { certificate } = this.#options;
    if (certificate) return readLeaf(certificate);
    const { openOwnCa } = await import("./own-ca.ts");
    this.#ca = await openOwnCa(this.#home, this.#clock);
    return await this.#ca.issue(address);
  }

  /** Call when the hub listens on these addresses. */
  opened(urls: readonly string[]): void {
    this.#listening = urls;
    for (const url of urls) this.origins.add(url);
  }

  /** CA certificate in PEM. Undefined if it isn't used. */
  get caCertificate(): string | undefined {
    return this.#ca?.certificate;
  }

  view(): Addresses {
    const [here = "", ...network] = this.#listening;
    const addresses: AddressView[] = [
      { origin: here, from: "machine" },
      ...network.map((origin) => ({ origin, from: "network" as const })),
      ...this.#proxied.map((origin) => ({ origin, from: "proxy" as const })),
    ];
    return { addresses, ca: this.#ca ? { path: "/ca.crt", sha256: this.#ca.fingerprint } : null };
  }
}

/**
 * Returns the listeners that the options ask for. Throws StartError for a refused address, before anything else is
 * touched.
 */
export function planned({ host = "127.0.0.1", tls, certificate, insecureLan }: ReachOptions) {
  return planListeners({ host, tls: tls === true || certificate !== undefined, insecureLan: insecureLan === true });
}

function fromConfig(host: string) {
  return { host, tls: true, insecureLan: false };
}

function readLeaf({ cert, key }: { readonly cert: string; readonly key: string }): Leaf {
  try {
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } catch (cause) {
    throw new StartError("CONFIG_INVALID", `The certificate can't be read (${(cause as Error).message}).`, { cause });
  }
}
