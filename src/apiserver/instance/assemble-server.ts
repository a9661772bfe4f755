import { controllerTrigger, garbageCollectionTrigger, InProcessWebhook, ownersPlugin } from '../../admission/index.js';
import type { Client } from '../../client/index.js';
import { definedOnly, durationMs } from '../../foundation/index.js';
import { CertificateSigningRequest } from '../../kinds/index.js';
import { preparation, type AdmissionPlugin, type ResourceDefinition } from '../../registry/index.js';
import { certificateDurations, GenericServer, measureEncryption, type ConnectHandlers } from '../../server/index.js';
import { builtinPerformers } from '../access/performers.js';
import { FirstUses } from '../aggregation/first-uses.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import { controllersByNeed } from '../controllers/controller-table.js';
import { requestTracing } from '../observability/tracing.js';
import { addStorageChecks } from '../storage/storage-checks.js';
import { addStartChecks } from './start-checks.js';
import type { Authorizing } from './assemble-access.js';
import type { Assembly, AssemblyHost } from './assembly.js';

/** Assembles the server that answers requests, with its health checks. */
export function assembleServer(
  options: ApiServerOptions,
  made: Authorizing & Omit<Assembly, 'server'>,
  host: AssemblyHost,
  firstPlugins: readonly AdmissionPlugin[],
): GenericServer {
  const { parts, authentication, authorization, access } = made;
  const { featureGates, metrics, dialect } = parts;
  const rbac = authorization?.rbac;
  const controllerClient = (): Client => host.controllerClient(dialect);
  const firstUses = new FirstUses({
    ...{ ...parts, controllerClient },
    extensionTrust: () => made.aggregation.extensionTrust(),
    keep: () => made.controllers.wake('extension-apiserver-authentication'),
  });
  const prepareStored = (definition: ResourceDefinition, namespace: string | undefined): Promise<void> | undefined =>
    rbac?.prepare(definition) ?? firstUses.prepare(definition, namespace);
  const server = new GenericServer({
    ...parts,
    apiAudiences: authentication.apiAudiences,
    documents: authentication.documents,
    admission: [...firstPlugins, ...admissionPlugins(options, made)],
    started: host.ready,
    prepare: (definition, verb, namespace) => {
      const loading = preparation(definition, verb);
      return loading === undefined
        ? prepareStored(definition, namespace)
        : loading.then(() => prepareStored(definition, namespace));
    },
    performers: builtinPerformers({
      authorize: made.authorizer,
      authentication,
      catalogue: parts.catalogue,
      withSelectors: featureGates.enabled('AuthorizeWithSelectors'),
    }),
    client: host.client,
    connectHandlers: connectHandlers(options),
    observers: new Map([[CertificateSigningRequest, certificateDurations(metrics, dialect)]]),
    authenticator: authentication.request,
    authorizer: access.authorize,
    interceptor: options.interceptor,
    audit: made.audit?.auditor,
    cors: options.network?.cors,
    added: made.page,
    fairness: made.fairness?.running,
    remote: made.aggregation,
    tracing: requestTracing(options.observability?.tracing, dialect),
    allowPrivileged: options.allowPrivileged,
    freezes: options.freezeHanded,
    livezGracePeriodMs: durationMs(options.observability?.livezGracePeriod ?? 0),
    version: options.version ?? {},
    serverAddress: host.address,
  });
  addStorageChecks(server.health, parts.storage, dialect);
  measureEncryption(server.metrics, parts.storage);
  addStartChecks(server.health, host.ready, {
    hasDefinitionsController: options.controllers?.disable?.includes('customresourcedefinition') !== true,
    hasPriorityClasses: made.builtinAdmission.runs('Priority'),
  });
  if (rbac !== undefined) server.health.add({ name: 'poststarthook/rbac/bootstrap-roles', check: () => rbac.ready() });
  made.fairness?.addTo(server.health);
  if (made.agreement !== undefined) server.health.add({ name: 'agreement', check: made.agreement.check }, ['readyz']);
  return server;
}

/** Returns the handlers: the simulation answers for pods, unless the program does. */
function connectHandlers({ handlers = {}, simulation }: ApiServerOptions): ConnectHandlers {
  if (simulation === undefined) return handlers;
  return { ...handlers, pods: { ...simulation.handlers, ...definedOnly(handlers.pods ?? {}) } };
}

/** Returns the admission plugins in order. */
function admissionPlugins(
  options: ApiServerOptions,
  { authorization, access, policies, builtinAdmission, controllers }: Authorizing & Omit<Assembly, 'server'>,
): AdmissionPlugin[] {
  return [
    ...builtinAdmission.plugins([
      policies.paramAccess,
      ...(options.admission?.plugins ?? [])
        .filter((plugin): plugin is AdmissionPlugin => !(plugin instanceof InProcessWebhook))
        .map(ownersPlugin),
    ]),
    garbageCollectionTrigger(() => controllers.wake('garbage-collector')),
    controllerTrigger(controllersByNeed(), (names) => controllers.wake(...names)),
    ...(authorization === undefined ? [] : [authorization.rbac.admission(access.authorize)]),
  ];
}
