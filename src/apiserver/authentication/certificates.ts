/**
 * Signing authorities of a server.
 *
 * @module
 */
import type { SigningAuthorities } from '../../controllers/index.js';
import {
  durationMs,
  type Clock,
  type Dialect,
  type DialectSigners,
  type Duration,
  type Entropy,
} from '../../foundation/index.js';
import type { CertificateAuthority, GeneratedAuthority } from '../../security/index.js';
import { importGeneratedAuthority, importPki } from '../../security/late.js';
import type { Storage } from '../../storage/index.js';

/** A configured authority. */
export interface GivenAuthority {
  /** Certificate of the authority, PEM: exactly one. */
  readonly certificatePem: string;
  /** Private key, PEM: PKCS #8, or the older forms of RSA and ECDSA. */
  readonly keyPem: string;
}

/**
 * A signing authority. A configured authority can be a function, which is called for each certificate. Alternatives:
 *
 * - `made`: the server creates an authority for the first certificate, keeps it in its storage and replaces it before
 *   it expires. The server trusts it for client certificates.
 * - `none`: the server does not sign. Approved requests wait for an external signer.
 */
export type SigningAuthority = GivenAuthority | (() => GivenAuthority) | 'made' | 'none';

/** The certificates that the server signs, and the authority that clients verify the server with. All are optional. */
export interface CertificateOptions {
  /**
   * Signing authority; default `made`. The server trusts a configured authority for client certificates only when
   * `authentication.clientCertificates` contains it.
   */
  readonly authority?: SigningAuthority | undefined;
  /** Authorities of individual signers; override `authority`. */
  readonly signers?: { readonly [Signer in keyof DialectSigners]?: SigningAuthority | undefined } | undefined;
  /** Default and maximum duration of certificates. Default one year, `8760h`. */
  readonly duration?: Duration | undefined;
  /**
   * Client certificate with which the server calls the servers of other API groups (APIServices); a function is called
   * for each use. Default: the server issues one, with an authority of its own that it keeps in its storage.
   */
  readonly frontProxy?: GivenAuthority | (() => GivenAuthority) | undefined;
  /**
   * Returns the certificate authority (PEM) that clients verify the server with. It is published to every namespace.
   * Called at each use. Default none.
   */
  readonly rootAuthority?: (() => string | undefined) | undefined;
}

/** Dependencies of {@link Certificates}. */
export interface CertificateParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly dialect: Dialect;
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** The signing authorities of one server, created and read on first use. */
export class Certificates implements SigningAuthorities {
  readonly durationMs: number;
  /** Loads the authority that the server creates; undefined when no signer uses it. */
  readonly generated: (() => Promise<GeneratedAuthority>) | undefined;
  #generated: GeneratedAuthority | undefined;
  readonly #options: CertificateOptions;
  readonly #entropy: Entropy;
  readonly #given = new Map<SigningAuthority, OpenedAuthority>();

  constructor(options: CertificateOptions, parts: CertificateParts) {
    this.#options = options;
    this.#entropy = parts.entropy;
    this.durationMs = durationMs(options.duration ?? YEAR_MS);
    const signers = Object.keys(parts.dialect.signers) as (keyof DialectSigners)[];
    if (!signers.some((signer) => this.#choice(signer) === 'made')) return;
    this.generated = async () => {
      const { GeneratedAuthority } = await importGeneratedAuthority();
      return (this.#generated ??= new GeneratedAuthority(parts));
    };
  }

  of(signer: keyof DialectSigners): Promise<CertificateAuthority> | undefined {
    const choice = this.#choice(signer);
    if (choice === 'none') return undefined;
    if (choice === 'made')
      return this.#generated?.current() ?? this.generated?.().then((authority) => authority.current());
    let opened = this.#given.get(choice);
    if (opened === undefined)
      this.#given.set(
        choice,
        (opened = new OpenedAuthority(typeof choice === 'function' ? choice : () => choice, this.#entropy)),
      );
    return opened.current();
  }

  /** Returns the authority that the options give to a signer. */
  configured(signer: keyof DialectSigners): GivenAuthority | 'made' | 'none' {
    const choice = this.#choice(signer);
    return typeof choice === 'function' ? choice() : choice;
  }

  /** Stops background work. */
  close(): void {
    this.#generated?.close();
  }

  #choice(signer: keyof DialectSigners): SigningAuthority {
    return this.#options.signers?.[signer] ?? this.#options.authority ?? 'made';
  }
}

/** A configured authority, parsed again only when it changes. */
class OpenedAuthority {
  readonly #given: () => GivenAuthority;
  readonly #entropy: Entropy;
  #pair: GivenAuthority | undefined;
  #authority: Promise<CertificateAuthority> | undefined;

  constructor(given: () => GivenAuthority, entropy: Entropy) {
    this.#given = given;
    this.#entropy = entropy;
  }

  current(): Promise<CertificateAuthority> {
    const { certificatePem, keyPem } = this.#given();
    if (
      this.#authority === undefined ||
      this.#pair?.certificatePem !== certificatePem ||
      this.#pair.keyPem !== keyPem
    ) {
      this.#pair = { certificatePem, keyPem };
      this.#authority = importPki().then(({ CertificateAuthority }) =>
        CertificateAuthority.open(certificatePem, keyPem, this.#entropy),
      );
    }
    return this.#authority;
  }
}
