import { shareTurn, workOf, type Work } from '../../../../../foundation/index.js';
import type { WriteOutcome } from '../../../../../registry/index.js';
import type { Claim, Claims } from './claims.js';

/** A number that may belong to no service, because a write or a release has failed. */
export interface Doubt extends Claim {
  readonly claims: Claims;
}

/** Options of a {@link Transaction}. */
export interface TransactionOptions {
  /** `namespace/name` of the service. */
  readonly owner: string;
  /** Whether nothing is taken or given back. */
  readonly dryRun: boolean;
  /** The work of the request. Default: without limits. */
  readonly work?: Work | undefined;
  /** Called with numbers that must be checked later. */
  readonly onDoubt: (doubts: readonly Doubt[]) => void;
}

/** The port before the first one that a dry run shows. */
const BEFORE_DRY_RUN_PORTS = 32_768;
/** Units of work to take a number. */
const TAKE_UNITS = 200;

/**
 * The numbers that one write of a service takes and gives back. Numbers that the service no longer has are released
 * when the write is stored; numbers that it took are released when the write is refused.
 *
 * The methods that take a number return the reason, in the words of release 1.31, when they cannot.
 */
export class Transaction {
  readonly #options: TransactionOptions;
  readonly #taken: Doubt[] = [];
  readonly #dropped: Doubt[] = [];
  readonly #dryRunPorts = new Set<number>();
  #greatestDryRunPort = -Infinity;

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  /** Takes an address. A dry run only checks that the range has it. */
  async takeAddress(claims: Claims, ip: string): Promise<string | undefined> {
    const offset = claims.range.offsetOf(ip);
    if (offset === undefined)
      return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${claims.range.text}`;
    if (this.#options.dryRun || (await this.#take(claims, offset))) return undefined;
    return 'provided IP is already allocated';
  }

  /** Takes a free address; undefined when there is none. A dry run shows an address that no service can have. */
  async takeAnyAddress(claims: Claims): Promise<string | undefined> {
    return this.#options.dryRun ? claims.range.text.split('/')[0] : this.#takeAny(claims);
  }

  /** Takes a port. A dry run only checks that it is free. */
  async takePort(claims: Claims, port: number): Promise<string | undefined> {
    const offset = claims.range.offsetOf(String(port));
    if (offset === undefined)
      return `provided port is not in the valid range. The range of valid ports is ${claims.range.text}`;
    await this.#pause();
    const isFree = this.#options.dryRun
      ? !this.#dryRunPorts.has(port) && !(await claims.isStillTaken(offset))
      : await this.#take(claims, offset);
    if (!isFree) return 'provided port is already allocated';
    if (this.#options.dryRun) this.#showPort(port);
    return undefined;
  }

  /** Takes a free port; undefined when there is none. A dry run shows a port, which may be taken. */
  async takeAnyPort(claims: Claims): Promise<number | undefined> {
    await this.#pause();
    if (this.#options.dryRun) {
      const port = (this.#dryRunPorts.size === 0 ? BEFORE_DRY_RUN_PORTS : this.#greatestDryRunPort) + 1;
      this.#showPort(port);
      return port;
    }
    const port = await this.#takeAny(claims);
    return port === undefined ? undefined : Number(port);
  }

  /** Gives a number back once the write is stored. A number outside of the range was never taken. */
  drop(claims: Claims, text: string): void {
    const offset = claims.range.offsetOf(text);
    if (offset !== undefined) this.#dropped.push({ claims, offset, owner: this.#options.owner });
  }

  /** Ends the write. Never throws: what cannot be released now is checked later. */
  async finish(outcome: WriteOutcome): Promise<void> {
    if (this.#options.dryRun) return;
    const doubts = outcome === 'unknown' ? [...this.#taken, ...this.#dropped] : [];
    if (outcome !== 'unknown')
      for (const released of outcome === 'stored' ? this.#dropped : this.#taken) {
        await shareTurn();
        await released.claims.release(released.offset, released.owner).catch(() => doubts.push(released));
      }
    if (doubts.length > 0) this.#options.onDoubt(doubts);
  }

  #showPort(port: number): void {
    this.#dryRunPorts.add(port);
    this.#greatestDryRunPort = Math.max(this.#greatestDryRunPort, port);
  }

  /** Gives way to others when the slice of the request is used up. */
  #pause(): Promise<void> | undefined {
    const work = workOf(this.#options);
    return work.spend(TAKE_UNITS) ? work.next() : undefined;
  }

  async #take(claims: Claims, offset: number): Promise<boolean> {
    const { owner } = this.#options;
    if (!(await claims.take(offset, owner))) return false;
    this.#taken.push({ claims, offset, owner });
    return true;
  }

  async #takeAny(claims: Claims): Promise<string | undefined> {
    const { owner } = this.#options;
    const offset = await claims.takeAny(owner);
    if (offset === undefined) return undefined;
    this.#taken.push({ claims, offset, owner });
    return claims.range.textAt(offset);
  }
}
