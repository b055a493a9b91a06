export type Refusal = "host" | "origin";

/**
 * The hosts that the hub serves, each with the one origin of its page. The host is checked against DNS rebinding. The
 * origin is compared with scheme and port, because another port of localhost is somebody else. An absent origin means
 * that it isn't a browser.
 */
export class AllowedOrigins {
  readonly #byHost = new Map<string, string>();

  /** For example `https://hub.example` or `http://127.0.0.1:18789`. */
  add(origin: string): void {
    const url = new URL(origin);
    this.#byHost.set(url.host, url.origin);
  }

  refuse({ host = "", origin }: { host?: string | undefined; origin?: string | undefined }): Refusal | undefined {
    const ours = this.#byHost.get(host);
    if (ours === undefined) return "host";
    return origin === undefined || origin === ours ? undefined : "origin";
  }
}
