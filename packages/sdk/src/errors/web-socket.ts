/** The part of the browsers' WebSocket that is used. Node's own and that of `ws` have it too. */
export interface SocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "error", listener: (event: { error?: unknown; message?: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
}

export type WebSocketConstructor = new (url: string) => SocketLike;
