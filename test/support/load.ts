// Clients that repeat what they do until they are stopped.

/** Sends some requests, and resolves with how many. Rejects when one of them was lost, or its reply is wrong. */
export type Client = () => Promise<number>;

export type Load = {
  readonly sent: () => number;
  /** What went wrong, and how often. */
  readonly faults: ReadonlyMap<string, number>;
  /** Resolves when so many requests have been sent in all. */
  readonly reach: (count: number) => Promise<void>;
  /** Stops the clients after what they have begun. */
  readonly stop: () => Promise<void>;
};

/** Starts the clients. */
export function startLoad(clients: readonly Client[]): Load {
  const faults = new Map<string, number>();
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let sent = 0;
  let isStopping = false;

  async function repeat(client: Client): Promise<void> {
    while (!isStopping) {
      try {
        const count = await client(); // others add to `sent` meanwhile
        sent += count;
      } catch (error) {
        sent += 1;
        faults.set(String(error), (faults.get(String(error)) ?? 0) + 1);
      }
      for (const { count, resolve } of waiting) if (sent >= count) resolve();
    }
  }

  const ends = clients.map(repeat);
  return {
    sent: () => sent,
    faults,
    reach: (count) => new Promise((resolve) => waiting.push({ count, resolve })),
    stop: async () => {
      isStopping = true;
      await Promise.all(ends);
    },
  };
}
