import { RpcError, type RpcEvent, RpcLink } from "@countersign/sdk";
import { CliError } from "../base/index.ts";
import { anything, type HttpHub, readAnswer, type Schema } from "../connect/index.ts";

/** A connection whose failures are those of a command. */
export interface Rpc {
  call<T>(method: string, params: object, schema: Schema<T>): Promise<T>;
  close(): void;
}

interface RpcEvents {
  event(frame: RpcEvent): void;
  closed(): void;
}

const NOT_FOUND = -32_602;

export async function openRpc(hub: HttpHub, events: RpcEvents): Promise<Rpc> {
  const fail = (cause: unknown) => {
    throw cause instanceof RpcError ? asCliError(cause, hub.url) : cause;
  };
  const link = await RpcLink.open(hub, events).catch(fail);
  return {
    async call(method, params, schema) {
      return readAnswer(await link.call(method, params, anything).catch(fail), schema);
    },
    close: () => link.close(),
  };
}

function asCliError({ code, message }: RpcError, url: string): CliError {
  switch (code) {
    case "UNAUTHORIZED":
      return new CliError(
        code,
        "The hub rejected this token. Check COUNTERSIGN_TOKEN, or unset it to use the data directory's.",
      );
    case "UNREACHABLE":
      return new CliError(code, `The hub at ${url} can't be reached. Check that it runs.`);
    case "DISCONNECTED":
      return new CliError("HUB_GONE", "The connection to the hub was lost.");
    case "LIMIT":
    case "BAD_ANSWER":
      return new CliError(code, message);
    default:
      return new CliError(code === NOT_FOUND ? "INVALID_PARAMS" : "INTERNAL", message);
  }
}
