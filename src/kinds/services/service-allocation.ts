import { ApiError, loading, messageOf, type Clock, type Entropy, type Logger } from '../../foundation/index.js';
import type { Catalogue, FinishWrite, RequestContext, WriteHooks, WriteScope } from '../../registry/index.js';
import type { Storage } from '../../storage/index.js';
import type { ServiceAllocation } from '../builtin/core/service/allocation/hooks.js';
import {
  parseClusterIPRanges,
  parseNodePortRange,
  type ServiceRanges,
} from '../builtin/core/service/allocation/ranges.js';
import type { DraftService, ServiceObject } from '../builtin/core/service/types.js';
import { Endpoints, Service } from '../builtin/index.js';
import { ipText } from '../builtin/shared/network/ip-address.js';
import { addressAt, networkText } from '../builtin/shared/network/ip-network.js';

/** The addresses and ports that services get. */
export interface ServiceOptions {
  /**
   * Network of the cluster IPs, in CIDR notation; two of different families, separated by a comma, for dual-stack
   * services. Default `10.0.0.0/24`.
   */
  readonly clusterIPRange?: string | undefined;
  /** Range of the node ports, both ends included. Default `30000-32767`. */
  readonly nodePortRange?: string | undefined;
}

/** The parts of a server that the allocation uses. */
interface AllocationParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly catalogue: Catalogue;
}

/** The allocation of cluster IPs and node ports, loaded when the first service is written. */
export class LateServiceAllocation implements WriteHooks<ServiceObject> {
  readonly #ranges: ServiceRanges;
  readonly #parts: AllocationParts;
  #allocation: Promise<ServiceAllocation> | undefined;
  #stopped = false;

  /** @throws TypeError that names the option whose range is invalid */
  constructor(options: ServiceOptions = {}, parts: AllocationParts) {
    this.#ranges = {
      networks: parsed('clusterIPRange', parseClusterIPRanges, options.clusterIPRange),
      nodePorts: parsed('nodePortRange', parseNodePortRange, options.nodePortRange),
    };
    this.#parts = parts;
  }

  /** The first address of the network of services, which is that of the server's own one. */
  get firstAddress(): string {
    const [network] = this.#ranges.networks;
    return network === undefined ? '' : ipText(addressAt(network, 1));
  }

  /** The ranges of cluster IPs and node ports, each in one form, whatever form the options have. */
  get rangeTexts(): { readonly clusterIPs: string; readonly nodePorts: string } {
    const { networks, nodePorts } = this.#ranges;
    return { clusterIPs: networks.map(networkText).join(','), nodePorts: `${nodePorts.first}-${nodePorts.last}` };
  }

  async beginCreate(service: DraftService, scope: WriteScope): Promise<FinishWrite | undefined> {
    return (await this.#loaded()).beginCreate(service, scope);
  }

  async beginUpdate(service: DraftService, old: ServiceObject, scope: WriteScope): Promise<FinishWrite | undefined> {
    return (await this.#loaded()).beginUpdate(service, old, scope);
  }

  async afterDelete(service: ServiceObject, context: RequestContext): Promise<void> {
    return (await this.#loaded()).afterDelete(service, context);
  }

  /** Ends the watches and timers of the allocation. */
  async stop(): Promise<void> {
    this.#stopped = true;
    (await this.#allocation)?.stop();
  }

  #loaded(): Promise<ServiceAllocation> {
    return (this.#allocation ??= this.#load());
  }

  async #load(): Promise<ServiceAllocation> {
    const { ServiceAllocation } = await loading(import('../builtin/core/service/allocation/hooks.js'));
    const { storage, clock, entropy, catalogue } = this.#parts;
    const allocation = new ServiceAllocation({
      ...{ storage, clock, entropy, ranges: this.#ranges },
      services: catalogue.store(Service),
      removeEndpoints: (namespace, name, context) => this.#removeEndpoints(namespace, name, context),
    });
    if (this.#stopped) allocation.stop();
    return allocation;
  }

  /** Removes the Endpoints of a removed service, which their controller might leave to a new service of this name. */
  async #removeEndpoints(namespace: string, name: string, context: RequestContext): Promise<void> {
    const { catalogue, logger } = this.#parts;
    if (!catalogue.serves(Endpoints)) return;
    try {
      await Endpoints.prepare?.();
      await catalogue.store(Endpoints).delete(context, namespace, name);
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'NotFound') return;
      logger.error('the endpoints of a removed service were not removed', { namespace, name, error });
    }
  }
}

function parsed<Value>(option: keyof ServiceOptions, parse: (text: string) => Value, text = ''): Value {
  try {
    return parse(text);
  } catch (error) {
    throw new TypeError(`network.${option}: ${messageOf(error)}`, { cause: error });
  }
}
