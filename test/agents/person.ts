import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "../../packages/cli/test/countersign.ts";

/** What a person answers when a command that contains `when` is asked about. A card that nobody has an answer for waits. */
export type Answers = readonly {
  readonly when: string;
  readonly answer: "approve" | { readonly deny: string };
}[];

interface Card {
  readonly approvalId: string;
  readonly command: string;
}

const LOOK_EVERY_MS = 100;

/** A person at the CLI, until stopped. */
export function answerCards(place: Place, answers: Answers): { stop: () => Promise<void> } {
  let over = false;
  async function look(): Promise<void> {
    while (!over) {
      if (answers.length > 0) for (const card of await cardsOf(place)) await answer(place, card, answers);
      await sleep(LOOK_EVERY_MS);
    }
  }
  const looking = look();
  return {
    stop: async () => {
      over = true;
      await looking;
    },
  };
}

async function cardsOf(place: Place): Promise<Card[]> {
  const { code, stdout } = await place.run("pending", "--json");
  return code === 0 ? (JSON.parse(stdout) as Card[]) : [];
}

async function answer(place: Place, { approvalId, command }: Card, answers: Answers): Promise<void> {
  const wanted = answers.find(({ when }) => command.includes(when))?.answer;
  if (wanted === undefined) return;
  const how = wanted === "approve" ? ["approve", approvalId] : ["deny", approvalId, "--reason", wanted.deny];
  await place.run(...how);
}
