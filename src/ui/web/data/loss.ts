/** The loss of the connection by which something is live. */
export interface Loss {
  /** The words for the failure. */
  readonly words: string;
  /** Since when, in milliseconds since the epoch: later attempts that fail do not change it. */
  readonly since: number;
  /** When it is tried again; undefined while nobody sees the page, which has given it up. */
  readonly nextAt: number | undefined;
}

/** Says when it is tried again. */
export function nextText({ nextAt }: Loss, now: number): string {
  if (nextAt === undefined) return '';
  return nextAt <= now ? ', tries again now' : `, tries again in ${Math.ceil((nextAt - now) / 1000)} s`;
}
