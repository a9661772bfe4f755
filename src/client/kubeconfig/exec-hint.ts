import type { Clock } from '../../meta/index.js';
import type { Dialect } from '../../names/index.js';

/** How often the help is shown: it is long, and a client may try again and again. */
const MOST = 10;
const WINDOW_MS = 3_600_000;

/** What a person reads when a plugin is not installed. At most ten times an hour. */
export class InstallHelp {
  #count = 0;
  #windowStart: number | undefined;
  readonly #text: string;

  constructor(
    private readonly clock: Clock,
    hint: string | undefined,
    dialect: Dialect,
  ) {
    const address = `https://${dialect.labelDomain}/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`;
    this.#text =
      '\n\nIt looks like you are trying to use a client-go credential plugin that is not installed.' +
      `\n\nTo learn more about this feature, consult the documentation available at:\n      ${address}` +
      (hint === undefined ? '' : `\n\n${withoutControls(hint)}`);
  }

  /** The text; empty when it has been shown often enough. */
  take(): string {
    const now = this.clock.now();
    if (this.#windowStart === undefined || now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > MOST ? '' : this.#text;
  }
}

const SHOWABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]$/u;

/** Characters that could put a terminal into a strange state become `U+001B`. */
function withoutControls(hint: string): string {
  let text = '';
  for (const character of hint)
    text += SHOWABLE.test(character)
      ? character
      : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return text;
}
