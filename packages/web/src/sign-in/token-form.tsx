import { enrolledDeviceSchema } from "@countersign/protocol/access";
import { hubStateSchema } from "@countersign/protocol/hub";
import { generateDeviceKey } from "@countersign/sdk";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Credentials } from "../hub/index.ts";
import { ApiError, callApi } from "../hub/index.ts";
import { Button, Notice } from "../ui/index.ts";
import { guessName } from "./guess-name.ts";

/** For who has a token and no terminal at hand. */
export function TokenForm({ onDevice }: { onDevice(device: Credentials): Promise<void> }): VNode {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const enter = async (event: Event) => {
    event.preventDefault();
    try {
      await onDevice(await enrol(token.trim()));
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setProblem(cause.code === "UNAUTHORIZED" ? "The hub doesn’t take this token." : cause.message);
    }
  };
  return (
    <form onSubmit={enter}>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <p class="quiet small">
        Less than a link gives: whoever else has this token can answer as you. If another device signs for it already,
        what you decide here is recorded as the token’s word, not as this device’s, and a profile may not take that for
        what is dangerous.
      </p>
      <Button type="submit" disabled={token.trim() === ""}>
        Sign in with the token
      </Button>
      {problem && <Notice kind="problem">{problem}</Notice>}
    </form>
  );
}

/**
 * With a key of this browser's where the token has none yet; else its answers count as much as the token. A token that may only look
 * has none.
 */
async function enrol(token: string): Promise<Credentials> {
  const [deviceId, name, key] = [crypto.randomUUID(), guessName(navigator.userAgent), await generateDeviceKey()];
  const body = { deviceId, name, publicKey: key.publicKey };
  try {
    await callApi(token, enrolledDeviceSchema, "POST /api/v1/devices", { body });
    return { token, deviceId, name, key };
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.code !== "UNAUTHORIZED") throw cause;
    // Throws as well, where it isn't a token of this hub's at all.
    await callApi(token, hubStateSchema, "GET /api/v1/state");
    return { token, deviceId, name };
  }
}
