import { messageOf, type Clock, type Logger, type Timer } from '../../foundation/index.js';
import type { StaticToken, TokenAuthenticator } from '../../security/index.js';
import {
  UnreadableValueError,
  untilWritten,
  UnusableStoreError,
  type ResourceKeys,
  type Storage,
} from '../../storage/index.js';
import { AGREEMENT_KEY, readAgreement, writeAgreement, type AgreementRecord } from './agreement-record.js';
import { ENCRYPTION_KEYS, unreadKeys } from './encryption-keys.js';
import { livingServers, Membership, RENEW_MS } from './membership.js';
import { OwnerTokens } from './owner-tokens.js';
import { ownStatement, type StatedParts } from './own-statement.js';
import { differentValues, missingTrust, type Statement } from './statement.js';
import { checkAgreedLayout } from './store-layout.js';

/** Dependencies of {@link Agreement}. */
export interface AgreementParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Identity of the server, which no other one has. */
  readonly id: string;
  /** Version of the package; undefined where the program does not know it. */
  readonly build: string | undefined;
  /** The parts that its statement describes. */
  readonly stated: StatedParts;
  /** The owner of this server, whose token the others accept. */
  readonly owner: StaticToken;
  /** Whether the values of this server replace the agreed ones while no other server lives. */
  readonly replaces: boolean;
}

/**
 * The agreement of the servers that share a store. The first server writes a record of what all must have in common; one
 * that differs is refused before it serves anything. A server shows that it lives by a key that expires, so the record
 * knows whose keys and authorities must be accepted: those of living servers.
 */
export class Agreement {
  readonly #parts: AgreementParts;
  readonly #membership: Membership;
  readonly #ownerTokens: OwnerTokens;
  #joined = '';
  #timer: Timer | undefined;
  #renewing: Promise<void> | undefined;
  #refusal: Error | undefined;
  #unguard: (() => void) | undefined;
  #ended = false;

  constructor(parts: AgreementParts) {
    this.#parts = parts;
    this.#membership = new Membership(parts.storage, parts);
    this.#ownerTokens = new OwnerTokens(parts);
  }

  /**
   * Joins the servers of the store.
   *
   * @throws UnusableStoreError that names each difference; nothing was changed then. StorageError when the storage fails
   */
  async join(): Promise<void> {
    await this.#agree(await ownStatement(this.#parts.stated));
    try {
      await this.#ownerTokens.start();
    } catch (error) {
      // The others must not count a server that does not run.
      await this.#membership.end().catch(() => undefined);
      throw error;
    }
    if (this.#ended) return;
    this.#unguard = this.#parts.storage.encryption?.guardKeys?.((keys) => this.#agreeOnKeys(keys));
    this.#schedule();
  }

  /** Authenticates the owners of the other servers. */
  readonly owners: TokenAuthenticator = (token, request) => this.#ownerTokens.authenticate(token, request);

  /** Returns whether the token of the owner of this server was revoked. */
  isOwnerRevoked(): boolean | Promise<boolean> {
    return this.#ownerTokens.isOwnRevoked();
  }

  /** Passes while the server agrees with the others. @throws Error with the differences that a reload has made */
  readonly check = (): void => {
    if (this.#refusal !== undefined) throw this.#refusal;
  };

  /** Stops renewing, as when the process dies: the others learn of it when the key expires. */
  halt(): void {
    this.#ended = true;
    this.#timer?.cancel();
    this.#unguard?.();
    this.#ownerTokens.end();
  }

  /** Leaves the servers of the store. A key that cannot be removed expires. */
  async leave(): Promise<void> {
    if (this.#ended) return;
    this.halt();
    await this.#renewing;
    await this.#membership.end().catch(() => undefined);
  }

  #schedule(): void {
    this.#timer?.cancel();
    if (this.#ended) return;
    this.#timer = this.#parts.clock.after(RENEW_MS, () => {
      this.#renewing = this.#renew().then(() => this.#schedule());
    });
  }

  async #renew(): Promise<void> {
    try {
      // Files that the server reloads may have changed it.
      const own = await ownStatement(this.#parts.stated);
      const wasLiving = await this.#membership.show();
      // Others may have started meanwhile that this server had to refuse, or that had to refuse this one.
      if (!wasLiving || summaryOf(own) !== this.#joined) await this.#agree(own);
      this.#refusal = undefined;
    } catch (error) {
      if (error instanceof UnusableStoreError) this.#refusal = error;
      if (!this.#ended)
        this.#parts.logger.error('this server could not show that it lives, and will try again', {
          reason: messageOf(error),
        });
    }
  }

  /** States encryption keys before they are used. @throws UnusableStoreError when another server does not read them */
  async #agreeOnKeys(keys: readonly ResourceKeys[]): Promise<void> {
    // It would state the former keys after these.
    await this.#renewing;
    try {
      await this.#agree(await ownStatement({ ...this.#parts.stated, encryptionKeys: () => keys }));
    } catch (error) {
      // The record itself may need one of these keys, which the next renewal states.
      if (!(error instanceof UnreadableValueError)) throw error;
    }
  }

  /** Compares a statement with the record, and enters it there. */
  async #agree(own: Statement): Promise<void> {
    const { storage } = this.#parts;
    await untilWritten(AGREEMENT_KEY, async () => {
      const { record } = await storage.get(AGREEMENT_KEY);
      const next = await this.#next(own, record && readAgreement(record));
      // Not later: whoever reads the record must find the servers in it alive.
      await this.#membership.show();
      return writeAgreement(storage, record, next);
    });
    this.#joined = summaryOf(own);
  }

  /** Returns the record with this server. @throws UnusableStoreError when it must not join */
  async #next(own: Statement, agreed: AgreementRecord | undefined): Promise<AgreementRecord> {
    const { id, replaces, storage } = this.#parts;
    if (agreed !== undefined) checkAgreedLayout(agreed);
    const living = await livingServers(storage);
    const others = new Map([...(agreed?.members ?? [])].filter(([member]) => member !== id && living.has(member)));
    const values = agreed?.values ?? new Map<string, string>();
    const different = differentValues(own, values);
    const isReplaced = replaces && others.size === 0;
    if (different.length > 0 && !isReplaced) throw this.#refused(different, valueRemedy(replaces));
    const trusts = [...others.values()];
    const missing = [
      ...missingTrust(own, trusts),
      ...unreadKeys(
        own.trust.get(ENCRYPTION_KEYS),
        trusts.map((trust) => trust.get(ENCRYPTION_KEYS)),
      ),
    ];
    if (missing.length > 0) throw this.#refused(missing, '');
    return {
      // A build may know values that another one does not.
      values: new Map(isReplaced ? [...values, ...own.values] : [...own.values, ...values]),
      members: new Map([...others, [id, own.trust]]),
    };
  }

  #refused(problems: readonly string[], remedy: string): UnusableStoreError {
    return new UnusableStoreError(
      `this server differs from the servers that share its store: ${problems.join('; ')}${remedy}`,
    );
  }
}

const valueRemedy = (replaces: boolean): string =>
  replaces
    ? ': the values cannot be replaced while other servers run, or for a minute after they were killed'
    : ': use the same values on all servers, or, to change them for all, stop all and start the first with replaceAgreement (--replace-agreement)';

const summaryOf = ({ values, trust }: Statement): string => JSON.stringify([[...values], [...trust]]);
