import { formatTime, goQuote, type WebhookService } from '../../foundation/index.js';
import { APIService, Endpoints, Service } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import { ignoring } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import { reconciler } from '../runtime/reconciler.js';
import { watched } from '../runtime/watch.js';

type ApiServiceObject = ObjectOf<typeof APIService>;
type ServiceObject = ObjectOf<typeof Service>;
type EndpointsObject = ObjectOf<typeof Endpoints>;
type Condition = NonNullable<NonNullable<ApiServiceObject['status']>['conditions']>[number];
type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

/** Facts about the servers of other API groups. */
export interface ApiServiceChecks {
  /** Returns whether the owner of the server has said where a service is: no object has to describe it then. */
  isGiven(service: WebhookService): Promise<boolean>;
  /** Returns why a server does not serve a version of a group; undefined when it does. */
  problem(checked: {
    readonly service: WebhookService;
    readonly group: string;
    readonly version: string;
    readonly signal: AbortSignal;
  }): Promise<string | undefined>;
}

/** Options of {@link apiServiceAvailability}. */
export interface ApiServiceAvailabilityOptions extends ControllerHost {
  readonly checks: ApiServiceChecks;
}

/** Time between two checks without a change. */
const RESYNC_MS = 30_000;
const DEFAULT_PORT = 443;
const AVAILABLE = 'Available';
const PASSED: Verdict = { status: 'True', reason: 'Passed', message: 'all checks passed' };

const failed = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });

/**
 * Maintains the condition `Available` of the APIServices that name a service.
 *
 * @see release 1.31, kube-aggregator/pkg/controllers/status/remote
 */
export function apiServiceAvailability(options: ApiServiceAvailabilityOptions): Controller {
  const { client, clock, informers, checks } = options;
  const apiServices = informers.of(APIService);
  const services = informers.of(Service);
  const endpoints = informers.of(Endpoints);
  const usersOf = (object: ServiceObject | EndpointsObject): string[] => {
    const key = objectKey(object);
    return Array.from(apiServices.values())
      .filter(({ spec }) => `${spec?.service?.namespace}/${spec?.service?.name}` === key)
      .map(({ metadata }) => metadata.name ?? '');
  };

  async function verdictOf({ spec }: ApiServiceObject, service: WebhookService, signal: AbortSignal): Promise<Verdict> {
    const { group = '', version = '' } = spec ?? {};
    if (!(await checks.isGiven(service))) {
      const key = `${service.namespace}/${service.name}`;
      const verdict = serviceVerdict(service, services.get(key), endpoints.get(key));
      if (verdict !== undefined) return verdict;
    }
    const problem = await checks.problem({ service, group, version, signal });
    return problem === undefined ? PASSED : failed('FailedDiscoveryCheck', problem);
  }

  return reconciler(options, {
    name: 'apiservice-availability',
    queue: 'RemoteAvailabilityController',
    kind: APIService,
    maxDelay: RESYNC_MS,
    watches: [watched(Service, { map: usersOf }), watched(Endpoints, { map: usersOf })],
    runsOn: (object, old) => old === undefined || !isOnlyStatus(object, old),
    async reconcile(apiService, { signal, requeueAfter }) {
      const reference = apiService.spec?.service;
      if (reference === undefined) return;
      const { name = '', namespace = '', port = DEFAULT_PORT } = reference;
      const verdict = await verdictOf(apiService, { name, namespace, port }, signal);
      if (signal.aborted) return;
      const changed = withVerdict(apiService, verdict, formatTime(clock.now()));
      // A later version of the object runs it again.
      if (changed !== undefined)
        await ignoring(client.resource(APIService).updateStatus(changed), 'NotFound', 'Conflict');
      requeueAfter(RESYNC_MS);
      if (verdict.reason === 'FailedDiscoveryCheck') return 'retry';
    },
  });
}

/** Whether nothing but the status has changed: the controller writes it itself. */
const isOnlyStatus = (object: ApiServiceObject, old: ApiServiceObject): boolean =>
  JSON.stringify(object.spec) === JSON.stringify(old.spec);

/** Returns why requests do not reach a service, as far as its objects tell; undefined when they do. */
function serviceVerdict(
  { name, namespace, port }: WebhookService,
  service: ServiceObject | undefined,
  endpoints: EndpointsObject | undefined,
): Verdict | undefined {
  const place = `${name} in ${goQuote(namespace)}`;
  if (service === undefined) return failed('ServiceNotFound', `service/${place} is not present`);
  if (service.spec?.type !== 'ClusterIP') return undefined;
  const served = service.spec.ports?.find((candidate) => candidate.port === port);
  if (served === undefined) return failed('ServicePortError', `service/${place} is not listening on port ${port}`);
  if (endpoints === undefined) return failed('EndpointsNotFound', `cannot find endpoints for service/${place}`);
  const portName = served.name ?? '';
  const hasAddress = (endpoints.subsets ?? []).some(
    ({ addresses = [], ports = [] }) => addresses.length > 0 && ports.some((each) => (each.name ?? '') === portName),
  );
  return hasAddress
    ? undefined
    : failed(
        'MissingEndpoints',
        `endpoints for service/${place} have no addresses with port name ${goQuote(portName)}`,
      );
}

/** Returns the object with its condition; undefined when the condition is the same. */
function withVerdict(object: ApiServiceObject, verdict: Verdict, now: string): ApiServiceObject | undefined {
  const conditions = object.status?.conditions ?? [];
  const known = conditions.find(({ type }) => type === AVAILABLE);
  const { status, reason, message } = verdict;
  if (known?.status === status && known.reason === reason && known.message === message) return undefined;
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
  const condition: Condition = { type: AVAILABLE, ...verdict, lastTransitionTime };
  const others = conditions.filter(({ type }) => type !== AVAILABLE);
  return { ...object, status: { ...object.status, conditions: [...others, condition] } };
}
