import type { Logger } from '../../../../../src/foundation/reporting/logger.js';

/** A log that a test can wait for. */
export interface TestLog extends Logger {
  readonly lines: string[];
  /** Resolves with the next line that contains the text. */
  next(text: string): Promise<string>;
}

/** Creates an empty log. */
export function testLog(): TestLog {
  const waiting: { readonly text: string; readonly resolve: (line: string) => void }[] = [];
  const lines: string[] = [];
  const write = (message: string, fields?: object): void => {
    const line = `${message} ${JSON.stringify(fields ?? {})}`;
    lines.push(line);
    for (const entry of waiting.filter(({ text }) => line.includes(text))) {
      waiting.splice(waiting.indexOf(entry), 1);
      entry.resolve(line);
    }
  };
  return {
    lines,
    info: write,
    error: write,
    next: (text) => new Promise((resolve) => waiting.push({ text, resolve })),
  };
}
