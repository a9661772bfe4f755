import type { ApiServerOptions } from '../../api-server.js';
import type { Clock } from '../../meta/index.js';
import { watchReloadedFile, type ReloadedFile } from '../../meta/reloaded-file.js';
import { CertificateAuthority } from '../../pki/index.js';
import type { Logger } from '../../meta/logger.js';
import { onFileChange } from './file-changes.js';
import { orUsageError, readFlagFile, readText } from './files.js';

type SigningAuthority = NonNullable<NonNullable<ApiServerOptions['certificates']>['authority']>;
/** Certificate and key, PEM. */
type GivenAuthority = Extract<SigningAuthority, { readonly keyPem: string }>;

/** An authority in two files, which are read again when they change. What was good last stays in force. */
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
   * @throws UsageError that names flag and file, when one cannot be read, or they are no authority; never with anything of the key in it
   */
  static async read(certFlag: string, certFile: string, keyFlag: string, keyFile: string): Promise<SigningPair> {
    const certificatePem = await readFlagFile(certFlag, certFile);
    const keyPem = await readFlagFile(keyFlag, keyFile);
    const pair = await orUsageError(`${certFlag}, --${keyFlag}`, () => checked({ certificatePem, keyPem }));
    return new SigningPair(certFile, keyFile, pair);
  }

  /** The authority as it is now. */
  readonly current = (): GivenAuthority => this.#pair;

  /** Follows the files from now on. One that is replaced before the other makes no pair, and waits for it. */
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

/** Both files as one text, by which a change of either is seen. */
function textOf({ certificatePem, keyPem }: GivenAuthority): string {
  return JSON.stringify({ certificatePem, keyPem });
}

async function checked(pair: GivenAuthority): Promise<GivenAuthority> {
  await CertificateAuthority.open(pair.certificatePem, pair.keyPem);
  return pair;
}
