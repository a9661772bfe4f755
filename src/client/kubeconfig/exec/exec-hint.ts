import { hexNumber, type Clock, type Dialect } from '../../../foundation/index.js';

/** Maximum number of times to show the help per hour: it is long, and clients retry. */
const MAX_SHOWN = 10;
const WINDOW_MS = 3_600_000;

/** Help for a plugin that is not installed. Shown at most ten times per hour. */
export class InstallHelp {
  #count = 0;
  #windowStart: number | undefined;
  readonly #text: string;
  readonly #clock: Clock;

  constructor(clock: Clock, hint: string | undefined, dialect: Dialect) {
    this.#clock = clock;
    const address = `https://${dialect.labelDomain}/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`;
    this.#text =
      '\n\nIt looks like you are trying to use a client-go credential plugin that is not installed.' +
      `\n\nTo learn more about this feature, consult the documentation available at:\n      ${address}` +
      (hint === undefined ? '' : `\n\n${withoutControls(hint)}`);
  }

  /** Returns the text; empty beyond the maximum. */
  next(): string {
    const now = this.#clock.now();
    if (this.#windowStart === undefined || now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > MAX_SHOWN ? '' : this.#text;
  }
}

const SHOWABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]$/u;

/** Replaces control characters, which could corrupt a terminal, by a form such as `U+001B`. */
function withoutControls(hint: string): string {
  let text = '';
  for (const character of hint)
    text += SHOWABLE.test(character) ? character : `U+${hexNumber(character.codePointAt(0) ?? 0, 4).toUpperCase()}`;
  return text;
}
