import { shareTurn, type Clock, type Timer } from '../../../../../foundation/index.js';
import type { ResourceStore } from '../../../../../registry/index.js';
import { EXTERNAL_NAME, HEADLESS, needsHealthCheck, nodePortsOf, type ServiceObject } from '../types.js';
import { familyOf } from '../validate-cluster-ips.js';
import type { Claims } from './claims.js';
import type { AddressClaims } from './cluster-ips.js';
import type { Doubt } from './transaction.js';

/**
 * How long a number may be taken before its service is stored, in milliseconds: longer than any request takes. Release
 * 1.31 waits for three repairs of three minutes each.
 */
const GRACE_MS = 3 * 60_000;
const PAGE_SIZE = 500;

/** The stores that the functions of this file work on. */
export interface AllocationState {
  readonly services: ResourceStore;
  readonly addresses: AddressClaims;
  readonly nodePorts: Claims;
}

/** Returns the numbers that a service has. */
function numbersOf(
  { spec = {} }: ServiceObject,
  { addresses, nodePorts }: AllocationState,
): readonly [Claims, number][] {
  const texts: [Claims | undefined, string][] = [];
  if (spec.type !== EXTERNAL_NAME)
    for (const ip of spec.clusterIPs ?? []) if (ip !== HEADLESS) texts.push([addresses.get(familyOf(ip)), ip]);
  for (const port of nodePortsOf(spec)) texts.push([nodePorts, String(port)]);
  if (needsHealthCheck(spec)) texts.push([nodePorts, String(spec.healthCheckNodePort)]);
  return texts.flatMap(([claims, text]): [Claims, number][] => {
    const offset = claims?.range.offsetOf(text);
    return claims === undefined || offset === undefined ? [] : [[claims, offset]];
  });
}

const ownerOf = ({ metadata }: ServiceObject): string => `${metadata.namespace}/${metadata.name}`;

/**
 * Takes the numbers of all stored services that nobody has taken: the services of a copied store, or those outside of
 * an earlier range.
 *
 * @returns the numbers that are taken for services that do not have them
 * @throws StorageError when the storage fails
 */
export async function repairClaims(state: AllocationState): Promise<Doubt[]> {
  const held = new Map([...state.addresses.values(), state.nodePorts].map((claims) => [claims, new Set<number>()]));
  const { services } = state;
  let after: string | undefined;
  do {
    const page = await services.environment.storage.list(services.info.keyPrefix, { after, limit: PAGE_SIZE });
    for (const record of page.records) {
      await shareTurn();
      if (services.problemOf(record) !== undefined) continue;
      const service: ServiceObject = services.read(record);
      for (const [claims, offset] of numbersOf(service, state)) {
        held.get(claims)?.add(offset);
        if (!claims.isTaken(offset)) await claims.take(offset, ownerOf(service));
      }
    }
    after = page.remaining > 0 ? page.records.at(-1)?.key : undefined;
  } while (after !== undefined);
  return [...held].flatMap(([claims, offsets]) =>
    [...claims.known()].filter(({ offset }) => !offsets.has(offset)).map((claim) => ({ ...claim, claims })),
  );
}

/** Releases numbers whose service does not have them, after a time in which a write of that service would have ended. */
export class DoubtQueue {
  readonly #state: AllocationState;
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #isStopped = false;

  constructor(state: AllocationState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Checks numbers later. */
  readonly add = (doubts: readonly Doubt[]): void => {
    // A check that was running when all ended fails with its storage.
    if (doubts.length === 0 || this.#isStopped) return;
    const timer = this.#clock.after(GRACE_MS, () => {
      this.#timers.delete(timer);
      void this.#check(doubts);
    });
    this.#timers.add(timer);
  };

  /** Ends all checks, for good. */
  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  async #check(doubts: readonly Doubt[]): Promise<void> {
    for (const [index, doubt] of doubts.entries()) {
      try {
        if (!(await this.#isHeld(doubt))) await doubt.claims.release(doubt.offset, doubt.owner);
      } catch {
        // The storage fails: all of the rest is checked again.
        this.add(doubts.slice(index));
        return;
      }
    }
  }

  async #isHeld({ claims, offset, owner }: Doubt): Promise<boolean> {
    const [namespace = '', name = ''] = owner.split('/');
    const record = await this.#state.services.find(namespace, name);
    if (record === undefined) return false;
    const service: ServiceObject = this.#state.services.read(record);
    return numbersOf(service, this.#state).some(([other, held]) => other === claims && held === offset);
  }
}
