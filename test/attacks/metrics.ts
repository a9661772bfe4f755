/** Metrics in the text format of Prometheus. */
export class Metrics {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  /** Whether there is a series of this name. */
  has(name: string): boolean {
    return this.#of(name).length > 0;
  }

  /**
   * The sum of the series of a name.
   *
   * @param labels text that the labels contain, such as `flow="editor"`
   */
  sum(name: string, labels = ''): number {
    let sum = 0;
    for (const line of this.#of(name)) if (line.includes(labels)) sum += Number(line.slice(line.lastIndexOf(' ')));
    return sum;
  }

  #of(name: string): readonly string[] {
    return this.#lines.filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)));
  }
}
