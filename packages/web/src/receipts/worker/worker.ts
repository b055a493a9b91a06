import { checkProof, didOfKey, type LedgerProof, webCrypto } from "@countersign/receipts";
import { ApiError } from "../../hub/index.ts";
import { forget } from "./checkpoint-db.ts";
import type { Answer, CheckedProofView, Order, Progress } from "./messages.ts";
import { Unreadable, verifyFile, verifyHub } from "./verify.ts";
import { witness } from "./witness.ts";

/** Answers one order, and reports progress on the way. */
addEventListener("message", async ({ data }: MessageEvent<Order>) => {
  try {
    say(await obey(data));
  } catch (cause) {
    if (cause instanceof Unreadable || cause instanceof ApiError) say({ kind: "failed", message: cause.message });
    else if (cause instanceof TypeError) say({ kind: "failed", message: "The hub broke off. Try again." });
    // An unhandled rejection doesn't end a worker, and the page would wait for ever.
    else say({ kind: "failed", message: `This browser could not do it: ${cause}` });
  }
});

async function obey(order: Order): Promise<Answer> {
  switch (order.do) {
    case "verify-hub":
      return { kind: "verified", verified: await verifyHub(order.hub, throttledProgress()) };
    case "verify-file": {
      const how = { trust: order.trust, report: throttledProgress() };
      return { kind: "verified", verified: await verifyFile(order.file, order.hub, how) };
    }
    case "forget":
      await forget(order.hub.deviceId);
      return { kind: "witnessed", witnessed: await witness(order.hub) };
    case "witness":
      return { kind: "witnessed", witnessed: await witness(order.hub) };
    case "check-proof":
      return { kind: "checked", checked: await check(order.proof) };
  }
}

async function check(proof: LedgerProof): Promise<CheckedProofView> {
  const { fault, keys, signed } = await checkProof(proof, webCrypto());
  return {
    fault: fault === null ? null : `${fault.code}: ${fault.detail}`,
    keys: keys.map(didOfKey),
    hashes: proof.proof.length,
    size: proof.kind === "consistency" ? proof.to.size : 0,
    isSigned: signed.to,
  };
}

const TOLD_EVERY_MS = 100;

function throttledProgress(): (progress: Progress) => void {
  let toldMs = 0;
  return (progress) => {
    if (performance.now() - toldMs < TOLD_EVERY_MS) return;
    toldMs = performance.now();
    say({ kind: "progress", progress });
  };
}

function say(answer: Answer): void {
  postMessage(answer);
}
