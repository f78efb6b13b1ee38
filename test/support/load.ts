// Clients that repeat what they do until they are stopped.

/** Sends some requests, and resolves with how many. Rejects when one of them was lost, or its reply is wrong. */
export type Client = () => Promise<number>;

export type Load = ReturnType<typeof startLoad>;

/** Starts the clients. */
export function startLoad(clients: readonly Client[]) {
  const faults = new Map<string, number>();
  const goals: (() => void)[] = [];
  let sent = 0;
  let isStopping = false;
  const ends = clients.map(async (client) => {
    while (!isStopping) {
      const count = await client().catch((error: unknown) => {
        faults.set(String(error), (faults.get(String(error)) ?? 0) + 1);
        return 1;
      });
      sent += count;
      for (const goal of goals) goal();
    }
  });

  return {
    sent: () => sent,
    /** What went wrong, and how often. */
    faults,
    /** Resolves when `count` requests have been sent in all. */
    reach: (count: number) => new Promise<void>((resolve) => goals.push(() => { if (sent >= count) resolve(); })),
    stop: async () => {
      isStopping = true;
      await Promise.all(ends);
    },
  };
}
