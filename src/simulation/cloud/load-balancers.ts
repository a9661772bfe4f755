import type { ResourceClient } from '../../client/index.js';
import {
  hasReason,
  keyedReconciler,
  objectKey,
  watched,
  type EventSink,
  type Informer,
  type Reconciler,
} from '../../controllers/index.js';
import { equalJson } from '../../foundation/index.js';
import { Service, type IpFamily } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import { TakenAddresses, type AddressRanges } from './address-pool.js';
import type { CloudContext } from './context.js';
import { CloudJobs } from './jobs.js';
import type { CloudItem } from './match.js';
import type { CloudPlan } from './outcomes.js';

type ServiceObject = ObjectOf<typeof Service>;
type Ingress = NonNullable<NonNullable<NonNullable<ServiceObject['status']>['loadBalancer']>['ingress']>;

/** Networks that are reserved for documentation (RFC 5737, RFC 3849). */
const DOCUMENTATION: AddressRanges = ['203.0.113.0/24', '2001:db8::/120'];
const RETRY_MS = 5_000;

/**
 * The load balancers of a fake cloud: gives addresses to Services of the type LoadBalancer, and holds a Service by a
 * finalizer until its load balancer is deleted, as the service controller of a cloud does.
 */
export class LoadBalancers {
  readonly controller: Reconciler;
  readonly #context: CloudContext;
  readonly #informer: Informer<ServiceObject>;
  readonly #jobs: CloudJobs;
  readonly #events: EventSink;
  readonly #finalizer: string;
  readonly #taken = new TakenAddresses();
  /** Services that found no free address. */
  readonly #starved = new Set<string>();

  constructor(context: CloudContext) {
    this.#context = context;
    const { clock, informers, dialect, recorder, rules } = context;
    this.#jobs = new CloudJobs(clock, rules);
    this.#events = recorder.of('service-controller');
    this.#finalizer = `service.${dialect.labelDomain}/load-balancer-cleanup`;
    this.#informer = informers.of(Service);
    this.controller = keyedReconciler(context, {
      name: 'service-controller',
      queue: 'service',
      watches: [watched(Service)],
      reconcile: (key) => this.#process(key),
    });
    const seen = (service: ServiceObject): void => {
      for (const { ip } of ingressOf(service)) if (ip !== undefined) this.#taken.keep(uidOf(service), ip);
      if (this.#isBalanced(service) || this.#isHeld(service)) this.controller.add(objectKey(service));
    };
    this.#informer.subscribe({ added: seen, updated: seen, deleted: (service) => this.#release(uidOf(service)) });
    rules.onChange(() => {
      for (const service of this.#informer.values())
        if (this.#isBalanced(service) || this.#isHeld(service)) this.controller.add(objectKey(service));
    });
  }

  /** Returns whether a Service is to have a load balancer of this cloud. */
  #isBalanced({ metadata, spec }: ServiceObject): boolean {
    if (metadata.deletionTimestamp !== undefined || spec?.type !== 'LoadBalancer') return false;
    const { loadBalancerClass } = spec;
    return (
      loadBalancerClass === undefined || (this.#context.options.loadBalancerClasses ?? []).includes(loadBalancerClass)
    );
  }

  #isHeld({ metadata }: ServiceObject): boolean {
    return metadata.finalizers?.includes(this.#finalizer) === true;
  }

  async #process(key: string): Promise<void> {
    const service = this.#informer.get(key);
    if (service === undefined) return;
    try {
      if (!this.#isBalanced(service)) await this.#remove(key, service);
      else if (!this.#isHeld(service)) await this.#hold(service, true);
      else if (ingressOf(service).length === 0) await this.#create(key, service);
    } catch (error) {
      // The event of the other change enqueues the Service again.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  async #create(key: string, service: ServiceObject): Promise<void> {
    const answer = this.#jobs.ask('create', itemOf(service));
    if (answer.state === 'never') return;
    if (answer.state === 'wait') {
      this.controller.addAfter(key, answer.afterMs);
      return;
    }
    if (answer.state === 'failed') {
      this.#refuse(key, service, `ensure load balancer: ${answer.message}`, answer);
      return;
    }
    const ingress = this.#ingress(service, answer.plan);
    if (ingress === undefined) {
      this.#starved.add(key);
      this.#refuse(key, service, 'ensure load balancer: no addresses left', { retryMs: RETRY_MS });
      return;
    }
    this.#starved.delete(key);
    await this.#write(service, ingress);
  }

  /** Deletes the load balancer of a Service that is deleted or has another type. */
  async #remove(key: string, service: ServiceObject): Promise<void> {
    if (!this.#isHeld(service)) return;
    const answer = this.#jobs.ask('delete', itemOf(service));
    if (answer.state === 'wait') {
      this.controller.addAfter(key, answer.afterMs);
      return;
    }
    if (answer.state === 'failed') {
      this.#refuse(key, service, `delete load balancer: ${answer.message}`, answer);
      return;
    }
    if (ingressOf(service).length > 0 && service.metadata.deletionTimestamp === undefined)
      await this.#write(service, []);
    await this.#hold(service, false);
    this.#release(uidOf(service));
  }

  #refuse(key: string, service: ServiceObject, what: string, { retryMs }: { readonly retryMs: number }): void {
    this.#events.event(service, 'Warning', 'SyncLoadBalancerFailed', `Error syncing load balancer: failed to ${what}`);
    this.controller.addAfter(key, retryMs);
  }

  /** Returns the addresses of a Service, one for each IP family; undefined when none is left. */
  #ingress(service: ServiceObject, { hostname, addresses }: CloudPlan): Ingress | undefined {
    if (hostname !== undefined) return [{ hostname }];
    const ranges = addresses ?? this.#context.options.addresses ?? DOCUMENTATION;
    const { ipFamilies = ['IPv4'], loadBalancerIP } = service.spec ?? {};
    const taken = ipFamilies.map((family, index) =>
      this.#taken.take(
        uidOf(service),
        family as IpFamily,
        ranges,
        index === 0 ? loadBalancerIP || undefined : undefined,
      ),
    );
    const found = taken.filter((address) => address !== undefined);
    if (found.length === taken.length) return found.map((ip) => ({ ip }));
    this.#taken.release(uidOf(service));
    return undefined;
  }

  async #write(service: ServiceObject, ingress: Ingress): Promise<void> {
    if (equalJson(ingress, ingressOf(service))) return;
    await this.#services(service).updateStatus({
      ...service,
      status: { ...service.status, loadBalancer: ingress.length === 0 ? {} : { ingress } },
    });
  }

  /** Adds the finalizer, or removes it. */
  async #hold(service: ServiceObject, held: boolean): Promise<void> {
    const finalizers = (service.metadata.finalizers ?? []).filter((name) => name !== this.#finalizer);
    const { resourceVersion = '' } = service.metadata;
    await this.#services(service).patch(
      service.metadata.name ?? '',
      { metadata: { resourceVersion, finalizers: held ? [...finalizers, this.#finalizer] : finalizers } },
      { type: 'merge' },
    );
  }

  #services({ metadata }: ServiceObject): ResourceClient<ServiceObject, InputOf<typeof Service>> {
    return this.#context.client.resource(Service).namespace(metadata.namespace ?? '');
  }

  #release(uid: string): void {
    this.#jobs.forget(uid);
    if (!this.#taken.release(uid)) return;
    for (const key of this.#starved) this.controller.add(key);
  }
}

const uidOf = ({ metadata }: ServiceObject): string => metadata.uid ?? '';
const ingressOf = ({ status }: ServiceObject): Ingress => status?.loadBalancer?.ingress ?? [];
const itemOf = (service: ServiceObject): CloudItem => ({ uid: uidOf(service), metadata: service.metadata });
