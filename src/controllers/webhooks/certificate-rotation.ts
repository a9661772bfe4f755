/**
 * The certificate of a webhook server, renewed before it expires.
 *
 * @module
 */
import { toError, type Clock, type Timer } from '../../foundation/index.js';
import type { ServingCertificate } from '../../transport/index.js';

/** Where certificates come from. */
export interface CertificateSource {
  /** Returns the certificate that is to be served: the current one while it need not be replaced. */
  next(current: ServingCertificate | undefined): Promise<ServingCertificate>;
  /** Returns milliseconds until {@link CertificateSource.next} should be asked again. */
  waitMs(): number;
  /** Called when a certificate with another authority is served. Default: nothing. */
  serves?(certificate: ServingCertificate): Promise<void>;
}

/** The parts of {@link CertificateRotation}. */
export interface RotationParts {
  readonly source: CertificateSource;
  readonly clock: Clock;
  /** Makes clients trust authorities, in PEM. Returns whether they do. */
  trust(authorities: readonly string[]): Promise<boolean>;
  /** Serves new connections with a certificate. @throws Error for one that cannot be served */
  serve(certificate: ServingCertificate): void;
  readonly onError: (error: unknown) => void;
}

/** Time between two looks at a certificate that others may replace, in milliseconds. */
export const LOAD_MS = 60_000;
/** Share of its lifetime after which a certificate that was made is replaced. */
export const RENEW_AFTER = 2 / 3;
/** Time in which API servers learn of a changed `caBundle`. */
const SPREAD_MS = 60_000;
/** Time after which a failed step is tried again. */
const RETRY_MS = 60_000;

/**
 * Replaces the certificate of a server. The authority of the next certificate is trusted beside the current one for a minute
 * before the certificate is served; then the previous authority is trusted no longer.
 */
export class CertificateRotation {
  readonly #parts: RotationParts;
  #current: ServingCertificate;
  /** The certificate that will be served when the API servers trust its authority. */
  #next: ServingCertificate | undefined;
  /** Whether the configurations have the authority of the next certificate. */
  #isTrusted = false;
  #timer: Timer | undefined;
  #step: Promise<void> = Promise.resolve();
  #hasStopped = false;

  constructor(current: ServingCertificate, parts: RotationParts) {
    this.#current = current;
    this.#parts = parts;
  }

  /** Certificate that is served. */
  get current(): ServingCertificate {
    return this.#current;
  }

  /** Starts to look for the next certificate. */
  start(): void {
    this.#wait(this.#parts.source.waitMs());
  }

  /** Ends the rotation, after the step that runs. */
  stop(): Promise<void> {
    this.#hasStopped = true;
    this.#timer?.cancel();
    return this.#step;
  }

  #wait(ms: number): void {
    if (this.#hasStopped) return;
    this.#timer = this.#parts.clock.after(Math.min(ms, MAX_WAIT_MS), () => {
      this.#step = this.#rotate().then(
        (waitMs) => this.#wait(waitMs),
        (error: unknown) => {
          this.#parts.onError(
            new Error('the certificate of the webhooks could not be renewed', { cause: toError(error) }),
          );
          this.#wait(RETRY_MS);
        },
      );
    });
  }

  /** Takes the next step. Returns milliseconds until the one after it. @throws Error of the source, or of `serve` */
  async #rotate(): Promise<number> {
    const { source, trust } = this.#parts;
    const current = this.#current;
    const next = this.#next ?? (await source.next(current));
    const hasOtherAuthority = next.caPem !== current.caPem;
    if (!hasOtherAuthority && next.certPem === current.certPem && next.keyPem === current.keyPem)
      return source.waitMs();
    if (hasOtherAuthority && !this.#isTrusted) {
      this.#next = next;
      this.#isTrusted = await trust([next.caPem, current.caPem]);
      return this.#isTrusted ? SPREAD_MS : RETRY_MS;
    }
    this.#next = undefined;
    this.#isTrusted = false;
    this.#parts.serve(next);
    this.#current = next;
    await source.serves?.(next);
    await trust([next.caPem]);
    return source.waitMs();
  }
}

/** Maximum delay of the host's timers, in milliseconds. */
const MAX_WAIT_MS = 0x7fff_ffff;
