import type { Clock, Entropy } from '../../../../../foundation/index.js';
import {
  hookResult,
  type FinishWrite,
  type RequestContext,
  type ResourceStore,
  type WriteHooks,
  type WriteScope,
} from '../../../../../registry/index.js';
import type { Storage } from '../../../../../storage/index.js';
import type { IpFamily } from '../../../shared/network/ip-address.js';
import type { DraftService, ServiceObject } from '../types.js';
import { Claims } from './claims.js';
import { changeClusterIPs, dropClusterIPs, takeClusterIPs } from './cluster-ips.js';
import { setIpFamilies } from './ip-families.js';
import { keepAllocated, linkClusterIPs } from './linked-fields.js';
import { changeNodePorts, dropNodePorts, takeNodePorts } from './node-ports.js';
import { addressRanges, nodePortRange, type ServiceRanges } from './ranges.js';
import { DoubtQueue, repairClaims, type AllocationState } from './repair.js';
import { Transaction } from './transaction.js';

/** Options of {@link ServiceAllocation}. */
export interface ServiceAllocationOptions {
  readonly ranges: ServiceRanges;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The store of the services. */
  readonly services: ResourceStore;
  /** Removes the Endpoints of a removed service, if there are any. Must not throw. */
  readonly removeEndpoints: (namespace: string, name: string, context: RequestContext) => Promise<void>;
}

/**
 * Gives services their cluster IPs and node ports: the hooks around the writes of services.
 *
 * The first write of a service reads what is taken. It then takes what services of an earlier run have, and checks what
 * is taken for no service.
 */
export class ServiceAllocation implements WriteHooks<ServiceObject> {
  readonly #options: ServiceAllocationOptions;
  readonly #families: readonly IpFamily[];
  readonly #state: AllocationState;
  readonly #doubts: DoubtQueue;
  #repaired = false;
  #loading: Promise<void> | undefined;

  constructor(options: ServiceAllocationOptions) {
    this.#options = options;
    const { ranges, storage, entropy, services, clock } = options;
    const addresses = addressRanges(ranges);
    this.#families = [...addresses.keys()];
    this.#state = {
      services,
      addresses: new Map([...addresses].map(([family, range]) => [family, new Claims(range, storage, entropy)])),
      nodePorts: new Claims(nodePortRange(ranges.nodePorts), storage, entropy),
    };
    this.#doubts = new DoubtQueue(this.#state, clock);
  }

  /** Ends the watches and timers. */
  stop(): void {
    this.#doubts.stop();
    for (const claims of this.#claims()) claims.stop();
  }

  beginCreate(service: DraftService, scope: WriteScope): Promise<FinishWrite | undefined> {
    const { addresses, nodePorts } = this.#state;
    const { context } = scope;
    return this.#within(service, scope, async (transaction) => {
      linkClusterIPs((service.spec ??= {}), undefined);
      await hookResult(setIpFamilies(service, undefined, this.#families, context.work), context);
      await takeClusterIPs(service, addresses, transaction);
      await takeNodePorts(service, nodePorts, transaction);
    });
  }

  beginUpdate(service: DraftService, old: ServiceObject, scope: WriteScope): Promise<FinishWrite | undefined> {
    const { addresses, nodePorts } = this.#state;
    const { spec: before = {} } = old;
    const { context } = scope;
    return this.#within(old, scope, async (transaction) => {
      const spec = (service.spec ??= {});
      keepAllocated(spec, before);
      linkClusterIPs(spec, before);
      await hookResult(setIpFamilies(service, before, this.#families, context.work), context);
      await changeClusterIPs(service, before, addresses, transaction);
      await changeNodePorts(service, before, nodePorts, transaction);
    });
  }

  async afterDelete(service: ServiceObject, context: RequestContext): Promise<void> {
    const { namespace = '', name = '' } = service.metadata;
    const { spec = {} } = service;
    const transaction = this.#transaction(service, { context, dryRun: false });
    dropClusterIPs(spec.clusterIPs, this.#state.addresses, transaction);
    dropNodePorts(spec, this.#state.nodePorts, transaction);
    await transaction.finish('stored');
    await this.#options.removeEndpoints(namespace, name, context);
  }

  /** Runs the beginning of a write; what it took is given back when it fails. */
  async #within(
    service: DraftService | ServiceObject,
    scope: WriteScope,
    begin: (transaction: Transaction) => Promise<void>,
  ): Promise<FinishWrite | undefined> {
    const loading = this.#load();
    if (loading !== undefined) await loading;
    const transaction = this.#transaction(service, scope);
    try {
      await begin(transaction);
    } catch (error) {
      await transaction.finish('refused');
      throw error;
    }
    return scope.dryRun ? undefined : (outcome) => transaction.finish(outcome);
  }

  #transaction({ metadata }: DraftService | ServiceObject, { context, dryRun }: WriteScope): Transaction {
    const owner = `${metadata.namespace}/${metadata.name}`;
    return new Transaction({ owner, dryRun, work: context.work, onDoubt: this.#doubts.add });
  }

  #load(): Promise<void> | undefined {
    if (this.#repaired && this.#claims().every(({ isLoaded }) => isLoaded)) return undefined;
    return (this.#loading ??= this.#loadAll().finally(() => (this.#loading = undefined)));
  }

  async #loadAll(): Promise<void> {
    for (const claims of this.#claims()) if (!claims.isLoaded) await claims.load();
    if (this.#repaired) return;
    this.#doubts.add(await repairClaims(this.#state));
    this.#repaired = true;
  }

  #claims(): Claims[] {
    return [...this.#state.addresses.values(), this.#state.nodePorts];
  }
}
