/** Lets the works of each user follow one another: several at a time would need the memory of all of them. */
export class UserTurns {
  /** The last work of each user that has some; resolves when it is done. */
  readonly #last = new Map<string, Promise<void>>();

  /** Does a work after those of the same user that came before it. @throws what it throws */
  async take<Result>(user: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#last.get(user) ?? Promise.resolve()).then(work);
    const done = result.then(ignore, ignore);
    this.#last.set(user, done);
    try {
      return await result;
    } finally {
      if (this.#last.get(user) === done) this.#last.delete(user);
    }
  }
}

function ignore(): void {
  // The caller gets the result.
}
