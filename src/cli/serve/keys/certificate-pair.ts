import { createSecureContext } from 'node:tls';
import type { SigningAuthority } from '../../../apiserver/index.js';
import { watchReloadedFile, type Clock, type Logger, type ReloadedFile } from '../../../foundation/index.js';
import { CertificateAuthority } from '../../../security/index.js';
import { onFileChange } from '../file-changes.js';
import { orUsageError, readFlagFile, readText } from '../files.js';

/** Certificate and key, PEM. */
type GivenAuthority = Extract<SigningAuthority, { readonly keyPem: string }>;

/** The purpose of a certificate and its key. */
export interface PairPurpose {
  /** Name in the log. */
  readonly name: string;
  /** @throws Error for a pair that is not usable; the message never contains key material */
  readonly check: (pair: GivenAuthority) => unknown;
}

/** A signing authority. */
export const signingPurpose: PairPurpose = {
  name: 'signing authority csr-controller',
  check: ({ certificatePem, keyPem }) => CertificateAuthority.open(certificatePem, keyPem),
};

/** A client certificate. */
export const clientPurpose: PairPurpose = {
  name: 'aggregator-proxy-cert',
  check: ({ certificatePem: cert, keyPem: key }) => createSecureContext({ cert, key }),
};

/**
 * A certificate and its key in two files, reloaded when they change. Invalid content is ignored; the last valid pair stays
 * active.
 */
export class CertificatePair {
  readonly #certFile: string;
  readonly #keyFile: string;
  readonly #purpose: PairPurpose;
  #pair: GivenAuthority;
  #watch: ReloadedFile | undefined;

  private constructor(certFile: string, keyFile: string, purpose: PairPurpose, pair: GivenAuthority) {
    this.#certFile = certFile;
    this.#keyFile = keyFile;
    this.#purpose = purpose;
    this.#pair = pair;
  }

  /**
   * Reads the files.
   *
   * @throws UsageError that names flags and files, when a file cannot be read or the files are not a usable
   *   pair; never contains key material
   */
  static async read(
    certFlag: string,
    certFile: string,
    keyFlag: string,
    keyFile: string,
    purpose: PairPurpose,
  ): Promise<CertificatePair> {
    const certificatePem = await readFlagFile(certFlag, certFile);
    const keyPem = await readFlagFile(keyFlag, keyFile);
    const pair = await orUsageError(`${certFlag}, --${keyFlag}`, () => checked({ certificatePem, keyPem }, purpose));
    return new CertificatePair(certFile, keyFile, purpose, pair);
  }

  /** Returns the current pair. */
  readonly current = (): GivenAuthority => this.#pair;

  /**
   * Starts reloading the files. If one file is replaced before the other, they do not match, and the new pair
   * becomes active with the second file.
   */
  watch(clock: Clock, log: Logger): void {
    this.#watch = watchReloadedFile({
      name: `${this.#purpose.name}::${this.#certFile}::${this.#keyFile}`,
      text: textOf(this.#pair),
      read: async () =>
        textOf({ certificatePem: await readText(this.#certFile), keyPem: await readText(this.#keyFile) }),
      load: (text) => checked(JSON.parse(text) as GivenAuthority, this.#purpose),
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

async function checked(pair: GivenAuthority, { check }: PairPurpose): Promise<GivenAuthority> {
  await check(pair);
  return pair;
}
