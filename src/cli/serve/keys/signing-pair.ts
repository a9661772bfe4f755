import type { SigningAuthority } from '../../../apiserver/index.js';
import { watchReloadedFile, type Clock, type Logger, type ReloadedFile } from '../../../foundation/index.js';
import { CertificateAuthority } from '../../../security/index.js';
import { onFileChange } from '../file-changes.js';
import { orUsageError, readFlagFile, readText } from '../files.js';

/** Certificate and key, PEM. */
type GivenAuthority = Extract<SigningAuthority, { readonly keyPem: string }>;

/**
 * A signing authority in two files, reloaded when they change. Invalid content is ignored; the last valid authority
 * stays active.
 */
export class SigningPair {
  readonly #certFile: string;
  readonly #keyFile: string;
  #pair: GivenAuthority;
  #watch: ReloadedFile | undefined;

  private constructor(certFile: string, keyFile: string, pair: GivenAuthority) {
    this.#certFile = certFile;
    this.#keyFile = keyFile;
    this.#pair = pair;
  }

  /**
   * Reads the files.
   *
   * @throws UsageError that names flags and files, when a file cannot be read or the files are not a certificate
   *   authority; never contains key material
   */
  static async read(certFlag: string, certFile: string, keyFlag: string, keyFile: string): Promise<SigningPair> {
    const certificatePem = await readFlagFile(certFlag, certFile);
    const keyPem = await readFlagFile(keyFlag, keyFile);
    const pair = await orUsageError(`${certFlag}, --${keyFlag}`, () => checked({ certificatePem, keyPem }));
    return new SigningPair(certFile, keyFile, pair);
  }

  /** Returns the current authority. */
  readonly current = (): GivenAuthority => this.#pair;

  /**
   * Starts reloading the files. If one file is replaced before the other, they do not match, and the new authority
   * becomes active with the second file.
   */
  watch(clock: Clock, log: Logger): void {
    this.#watch = watchReloadedFile({
      name: `signing authority csr-controller::${this.#certFile}::${this.#keyFile}`,
      text: textOf(this.#pair),
      read: async () =>
        textOf({ certificatePem: await readText(this.#certFile), keyPem: await readText(this.#keyFile) }),
      load: (text) => checked(JSON.parse(text) as GivenAuthority),
      apply: (pair) => void (this.#pair = pair),
      onChange: (changed) => {
        const ends = [onFileChange(this.#certFile, changed), onFileChange(this.#keyFile, changed)];
        return () => ends.forEach((end) => end());
      },
      clock,
      log,
    });
  }

  close(): void {
    this.#watch?.close();
  }
}

/** Returns both files as one text, so that a change of either one is detected. */
function textOf({ certificatePem, keyPem }: GivenAuthority): string {
  return JSON.stringify({ certificatePem, keyPem });
}

async function checked(pair: GivenAuthority): Promise<GivenAuthority> {
  await CertificateAuthority.open(pair.certificatePem, pair.keyPem);
  return pair;
}
