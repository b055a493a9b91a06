import assert from "node:assert/strict";
import { ConnectionConfig, createDefaultAdapterFactory, SandboxApiException } from "@alibaba-group/opensandbox";

type ExecdStack = ReturnType<ReturnType<typeof createDefaultAdapterFactory>["createExecdStack"]>;

/** An execd, or whatever stands before one. */
export interface SurfaceTarget {
  readonly url: string;
  readonly token?: string | undefined;
  /** Of the execd's machine: empty, writable, its path absolute and without links. */
  readonly directory: string;
  /** A jail is around it, and users in there are called by any number. */
  readonly isJailed?: true;
  /** A gate stands before it. */
  readonly isGated?: true;
}

/** One thing that the official SDK does with an execd. Each stands for itself, in a directory of its own: they may run at the same time. */
export interface SurfaceStep {
  readonly name: string;
  run(surface: Surface): Promise<void>;
}

/** What a step works with. */
export class Surface {
  readonly sdk: ExecdStack;
  /** Unwrapped, for what the SDK only has types for. */
  readonly target: SurfaceTarget;
  readonly #close: () => Promise<void>;

  constructor(target: SurfaceTarget) {
    const connectionConfig = new ConnectionConfig({ requestTimeoutSeconds: 30 });
    this.target = target;
    this.sdk = createDefaultAdapterFactory().createExecdStack({
      connectionConfig,
      execdBaseUrl: target.url,
      endpointHeaders: this.headers,
    });
    this.#close = () => connectionConfig.closeTransport();
  }

  get headers(): Record<string, string> {
    const { token } = this.target;
    return token === undefined ? {} : { "X-EXECD-ACCESS-TOKEN": token };
  }

  /** A new directory for one step. */
  async directory(name: string): Promise<string> {
    const path = `${this.target.directory}/${name}`;
    await this.sdk.files.createDirectories([{ path, mode: 755 }]);
    return path;
  }

  async close(): Promise<void> {
    await this.#close();
  }
}

export const texts = (messages: readonly { text: string }[]) => messages.map(({ text }) => text);

/** Until it is so: what a background command does comes when it comes. */
export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let at = 0; at < 1_200; at += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it never came");
}

export function isApiError(status: number, code?: string): (cause: unknown) => boolean {
  return (cause) => {
    assert.ok(cause instanceof SandboxApiException, `${cause}`);
    assert.equal(cause.statusCode, status);
    if (code !== undefined) assert.equal(cause.error.code, code);
    return true;
  };
}
