import { watchReloadedFile, type Clock, type Logger, type ReloadedFile } from '../../../foundation/index.js';
import { parseCertificateBundle } from '../../../security/index.js';
import { UsageError } from '../../usage-error.js';
import { onFileChange } from '../file-changes.js';
import { readText, reasonOf } from '../files.js';

/**
 * A file of certificate authorities that is reloaded when it changes. Invalid content is ignored; the last valid
 * content stays active.
 */
export class AuthorityFile {
  readonly #path: string;
  readonly #name: string;
  #text: string;
  #watch: ReloadedFile | undefined;

  private constructor(path: string, name: string, text: string) {
    this.#path = path;
    this.#name = name;
    this.#text = text;
  }

  /**
   * Reads the file.
   *
   * @param purpose purpose of the authorities, for messages
   * @throws UsageError that names flag and file, when the file cannot be read or contains no authorities
   */
  static async read(flag: string, purpose: string, path: string): Promise<AuthorityFile> {
    const name = `${purpose}::${path}`;
    const text = await readText(path).catch((error: unknown) => {
      throw new UsageError(`--${flag}: unable to load client CA file: ${reasonOf(error)}`);
    });
    try {
      return new AuthorityFile(path, name, checkBundle(name, text));
    } catch (error) {
      throw new UsageError(`--${flag}: ${reasonOf(error)}`);
    }
  }

  /** Returns the current authorities (PEM). */
  readonly current = (): string => this.#text;

  /** Starts reloading the file when it changes. */
  watch(clock: Clock, log: Logger): void {
    this.#watch = watchReloadedFile({
      name: `CA bundle ${this.#name}`,
      text: this.#text,
      read: () => readText(this.#path),
      load: (text) => checkBundle(this.#name, text),
      apply: (text) => void (this.#text = text),
      onChange: (changed) => onFileChange(this.#path, changed),
      clock,
      log,
    });
  }

  close(): void {
    this.#watch?.close();
  }
}

/**
 * Returns a valid bundle unchanged. An empty file is an error: it is probably being written, and must not remove all
 * authorities.
 */
function checkBundle(name: string, text: string): string {
  if (text === '') throw new Error(`missing content for CA bundle ${JSON.stringify(name)}`);
  try {
    parseCertificateBundle(text);
  } catch (error) {
    throw new Error(`error loading CA bundle for ${JSON.stringify(name)}: ${reasonOf(error)}`, { cause: error });
  }
  return text;
}
