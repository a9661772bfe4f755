/**
 * The composition of a server, in stages: each function takes the parts of the stages above it.
 *
 * @module
 */
import {
  controllerTrigger,
  garbageCollectionTrigger,
  InProcessWebhook,
  ownersPlugin,
  writeTrigger,
} from '../../admission/index.js';
import type { Client } from '../../client/index.js';
import type { AdvertisedListener } from '../../controllers/index.js';
import {
  definedOnly,
  durationMs,
  fetchHttpClient,
  SharedWork,
  type Dialect,
  type HttpClient,
  type ReloadMetrics,
} from '../../foundation/index.js';
import {
  CertificateSigningRequest,
  Namespace,
  QuotaCharges,
  serviceResolver,
  type ConverterTools,
} from '../../kinds/index.js';
import {
  preparation,
  type AdmissionPlugin,
  type OperationClient,
  type ResourceDefinition,
} from '../../registry/index.js';
import {
  alwaysDeny,
  currentAuthorities,
  RBAC_AUTHORIZER,
  tokenDigest,
  type Authorizer,
  type TokenAuthenticator,
} from '../../security/index.js';
import {
  certificateDurations,
  countingCertificateFaults,
  countMemoryRefusals,
  GenericServer,
  measureEncryption,
  reloadMetrics,
  RequestMemory,
  Reservation,
  type ConnectHandlers,
  type ReloadedSubsystem,
} from '../../server/index.js';
import { Access } from '../access/access.js';
import { Authorization } from '../access/authorization.js';
import { ownersAuthorizer } from '../access/owners-authorizer.js';
import { builtinPerformers } from '../access/performers.js';
import { signerRights } from '../access/signer-rights.js';
import { BuiltinAdmission } from '../admission/admission-plugins.js';
import { accessDecider, AdmissionPolicies } from '../admission/admission-policies.js';
import { ServedWebhooks } from '../admission/admission-webhooks.js';
import { answerDecoder } from '../admission/answer-decoder.js';
import { LateAgreement } from '../agreement/late-agreement.js';
import { Aggregation } from '../aggregation/aggregation.js';
import { FirstUses } from '../aggregation/first-uses.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import { Authentication } from '../authentication/authentication.js';
import { Certificates } from '../authentication/certificates.js';
import { controllersByNeed } from '../controllers/controller-table.js';
import type { Controllers } from '../controllers/controllers.js';
import { CustomResources } from '../custom-resources/custom-resources.js';
import { Audit } from '../observability/audit.js';
import { requestTracing } from '../observability/tracing.js';
import type { ServerSnapshot } from '../storage/server-snapshot.js';
import { addStorageChecks } from '../storage/storage-checks.js';
import { assembleControllers } from './assemble-controllers.js';
import { ServerFairness } from './fairness.js';
import { Listeners } from './listeners.js';
import { ServedPage } from './served-page.js';
import { serverParts, type ServerParts } from './server-parts.js';
import { addStartChecks } from './start-checks.js';

/** Functions of the running server that its parts use. */
export interface AssemblyHost {
  /** Resolves when the server has started; undefined when it already has. */
  readonly ready: () => Promise<void> | undefined;
  /** A client that acts as the owner. */
  readonly client: () => OperationClient;
  /** A client of the controllers. Its requests do not wait for what a kind needs. */
  readonly controllerClient: (dialect: Dialect) => Client;
  /** Address that discovery gives to clients, `host:port`. */
  readonly address: () => string;
  /** Returns the listener that is advertised; undefined while there is none. */
  readonly listener: () => AdvertisedListener | undefined;
  /** Called before the writes of a server that began with a snapshot. */
  readonly writing: () => void;
}

/** An assembled server before its start. */
export interface Assembly {
  readonly parts: ServerParts;
  /** Undefined when the options contain an authorizer. */
  readonly authorization: Authorization | undefined;
  readonly access: Access;
  readonly certificates: Certificates;
  readonly authentication: Authentication;
  readonly custom: CustomResources;
  readonly policies: AdmissionPolicies;
  readonly webhooks: ServedWebhooks;
  readonly aggregation: Aggregation;
  readonly builtinAdmission: BuiltinAdmission;
  /** Undefined without an audit log. */
  readonly audit: Audit | undefined;
  /** Priority and fairness; undefined for a server with the limits of requests in flight. */
  readonly fairness: ServerFairness | undefined;
  readonly controllers: Controllers;
  readonly listeners: Listeners;
  /** The agreement with the servers that share the storage; undefined when no other process writes to it. */
  readonly agreement: LateAgreement | undefined;
  /** The endpoints of its page. */
  readonly page: ServedPage;
  readonly server: GenericServer;
}

/**
 * Assembles a server.
 *
 * @param origin the state that the server begins with, whose storage is in the options
 * @throws TypeError | Error for options that are invalid or contradict each other, with the option's name
 */
export function assemble(options: ApiServerOptions, host: AssemblyHost, origin?: ServerSnapshot): Assembly {
  const parts = serverParts(options, origin);
  const authorizing = assembleAuthorization(options, parts, origin);
  const certificates = new Certificates(options.certificates ?? {}, parts);
  const owners: TokenAuthenticator = (token, request) => agreement?.owners(token, request);
  const isOwnerRevoked = (): boolean | Promise<boolean> => agreement?.isOwnerRevoked() ?? false;
  const authentication = assembleAuthentication(options, parts, {
    ...{ ...authorizing, certificates, owners, isOwnerRevoked },
  });
  const custom = new CustomResources({ ...parts, conversion: conversionTools(options, parts) }, origin?.customKinds);
  const quotaCharges = new QuotaCharges(parts);
  const listeners = new Listeners(host.listener, parts);
  const aggregation = assembleAggregation(options, parts, certificates);
  const made = { authentication, certificates, custom, quotaCharges, listeners, aggregation };
  const controllers = assembleControllers(options, parts, made);
  const policies = new AdmissionPolicies({ ...parts, authorize: authorizing.access.authorize });
  const webhooks = assembleWebhooks(options, parts, authorizing.access.authorize);
  const builtinAdmission = new BuiltinAdmission(options.admission ?? {}, {
    ...parts,
    ...{ quotaCharges, client: host.client },
    decideAccess: accessDecider(authorizing.access.authorize),
    signerRights: signerRights(authorizing.access.authorize, parts.dialect, parts.owner.user),
    allowsNodes: () => authorizing.authorization?.allowsNodes === true,
    given: {
      MutatingAdmissionWebhook: webhooks.mutating,
      ValidatingAdmissionPolicy: policies.plugin,
      ValidatingAdmissionWebhook: webhooks.validating,
    },
  });
  const audit = assembleAudit(options, parts);
  const fairness = options.fairness === true ? assembleFairness(parts, controllers, origin) : undefined;
  const agreement = assembleAgreement(options, parts, { authentication, certificates });
  const assembled = {
    ...{ ...authorizing, parts, certificates, authentication, custom },
    ...{ policies, webhooks, builtinAdmission, audit, fairness, controllers, listeners, aggregation, agreement },
  };
  const firstPlugins = origin === undefined ? [] : [writeTrigger(host.writing)];
  const page = assemblePage(parts, { ...authorizing, controllers }, () => server.shutdownSignal);
  const server: GenericServer = assembleServer(options, { ...assembled, page }, host, firstPlugins);
  return { ...assembled, page, server };
}

function assembleWebhooks(options: ApiServerOptions, parts: ServerParts, authorize: Authorizer): ServedWebhooks {
  return new ServedWebhooks({
    ...parts,
    decideAccess: accessDecider(authorize),
    functions: (options.admission?.plugins ?? []).filter((plugin) => plugin instanceof InProcessWebhook),
    http: webhookClient(options, parts),
    decode: answerDecoder(parts.limits),
    findService: findServiceOf(options, parts),
    credentials: webhookCredentials(options),
  });
}

function assembleAggregation(options: ApiServerOptions, parts: ServerParts, { generated }: Certificates): Aggregation {
  return new Aggregation({
    ...parts,
    http: options.network?.httpClient ?? fetchHttpClient(),
    findService: findServiceOf(options, parts),
    decode: answerDecoder(parts.limits),
    ownWork: ownWorkOf(parts),
    resolveService: options.network?.resolveService,
    frontProxy: options.certificates?.frontProxy,
    requestHeader: options.authentication?.requestHeader,
    clientCertificates: options.authentication?.clientCertificates,
    generatedAuthority: generated,
  });
}

function assembleAgreement(
  { authentication: { clientCertificates } = {}, replaceAgreement = false, version }: ApiServerOptions,
  parts: ServerParts,
  { authentication, certificates }: Pick<Assembly, 'authentication' | 'certificates'>,
): LateAgreement | undefined {
  const { storage, clock, logger, entropy, owner } = parts;
  if (storage.isShared !== true) return undefined;
  const clientAuthorities = (): string => currentAuthorities(clientCertificates?.certificateAuthorities);
  return new LateAgreement({
    ...{ storage, clock, logger, owner, id: entropy.uuid(), replaces: replaceAgreement },
    build: version?.packageVersion,
    stated: {
      ...{ ...parts, authentication, certificates, clientAuthorities },
      encryptionKeys: () => storage.encryption?.keys?.(),
    },
  });
}

function assembleFairness(
  parts: ServerParts,
  controllers: Controllers,
  origin: ServerSnapshot | undefined,
): ServerFairness {
  const maintain = (): void =>
    controllers.wake('priority-and-fairness-config-producer', 'priority-and-fairness-config-consumer');
  return new ServerFairness({ ...parts, hasObjects: origin !== undefined, maintain });
}

/** Returns the credentials for admission webhooks: those of their plugin, or those of all webhooks. */
const webhookCredentials = ({ admission = {} }: ApiServerOptions) => ({
  Mutating: admission.mutatingWebhooks?.credentials ?? admission.webhooks?.credentials,
  Validating: admission.validatingWebhooks?.credentials ?? admission.webhooks?.credentials,
});

function assembleAudit({ observability = {} }: ApiServerOptions, parts: ServerParts): Audit | undefined {
  const { audit } = observability;
  if (audit === undefined) return undefined;
  const reloads = reloadMeter(parts, 'apiserver_audit_policy');
  return new Audit(audit, { ...parts, reloadMetrics: reloads });
}

/** Returns what sends requests to the webhooks that objects configure. */
const webhookClient = ({ network }: ApiServerOptions, { metrics }: ServerParts): HttpClient =>
  countingCertificateFaults(network?.httpClient ?? fetchHttpClient(), metrics);

/** Returns what finds the services of the webhooks that objects configure. */
const findServiceOf = ({ network = {}, simulation }: ApiServerOptions, { catalogue, entropy }: ServerParts) =>
  serviceResolver({
    ...{ catalogue, entropy, given: network.resolveService },
    toEndpoints: network.serviceRouting !== 'ClusterIP',
    hasSimulatedPods: simulation !== undefined,
  });

/** Work of the server itself, with memory that counts. */
class OwnWork extends SharedWork {
  readonly #reservation: Reservation;

  constructor(reservation: Reservation) {
    super();
    this.#reservation = reservation;
  }

  override reserve(bytes: number): void {
    this.#reservation.reserve(bytes);
  }

  override release(bytes: number): void {
    this.#reservation.release(bytes);
  }

  end(): void {
    this.#reservation.end();
  }
}

/** Returns what begins work of the server itself. */
function ownWorkOf({ catalogue, metrics }: ServerParts): () => OwnWork {
  const { memory } = catalogue.environment;
  const answers = new RequestMemory(memory.open('bodies'), memory.memoryBytes, countMemoryRefusals(metrics));
  return () => new OwnWork(new Reservation(answers, { user: '', isShareExempt: true, isExempt: false }));
}

/** Returns the parts that the conversions of custom resources need. */
function conversionTools(options: ApiServerOptions, parts: ServerParts): ConverterTools {
  return {
    ...{ dialect: parts.dialect, clock: parts.clock, entropy: parts.entropy },
    http: webhookClient(options, parts),
    findService: findServiceOf(options, parts),
    maxAnswerBytes: parts.limits.conversionAnswerBytes,
    decode: answerDecoder(parts.limits),
    // The conversion of an event is for all who watch it, so it belongs to the server.
    ownWork: ownWorkOf(parts),
    functions: options.conversionWebhooks,
  };
}

/** Authorization, with explanations and recordings of access. */
interface Authorizing {
  readonly authorization: Authorization | undefined;
  readonly authorizer: Authorizer;
  readonly access: Access;
}

function assembleAuthorization(
  options: ApiServerOptions,
  parts: ServerParts,
  origin: ServerSnapshot | undefined,
): Authorizing {
  const { authorization: choice = { modes: ['RBAC'] } } = options;
  const given = 'authorizer' in choice ? choice.authorizer : undefined;
  const authorization =
    'authorizer' in choice
      ? undefined
      : new Authorization(choice, {
          ...parts,
          hasDefaultPolicy: origin?.hasDefaultPolicy === true,
          reloadMetrics: reloadMeter(parts, 'apiserver_authorization_config_controller'),
        });
  const authorizer = (given && ownersAuthorizer(given)) ?? authorization?.authorize ?? alwaysDeny;
  const access = new Access({
    authorize: authorizer,
    authorizers: () => authorization?.authorizers ?? [{ name: 'authorizer', authorize: authorizer }],
    rbac: authorization?.rbac,
    catalogue: parts.catalogue,
  });
  return { authorization, authorizer, access };
}

function assemblePage(
  parts: ServerParts,
  { authorization, access, controllers }: Authorizing & Pick<Assembly, 'controllers'>,
  ended: () => AbortSignal,
): ServedPage {
  const { memory } = parts.catalogue.environment;
  return new ServedPage({
    ...parts,
    ...{ ended, authorize: access.authorize, rbac: authorization?.rbac },
    explain: (user, { verb, resource, ...options }) => access.explain(user, verb, resource, options),
    policy: async () => {
      if (authorization?.authorizers.some(({ name }) => name === RBAC_AUTHORIZER) !== true) return undefined;
      await authorization.rbac.ready();
      return authorization.rbac.policy;
    },
    // The uid of this namespace is what commonly tells clusters apart.
    storeId: async () =>
      (await parts.catalogue.find(Namespace, '', parts.dialect.namespaces.system))?.metadata.uid ?? '',
    controllers: () => controllers.report(),
    memoryBytes: () => memory.usedBytes,
    openRecordings: (giveUp) => memory.openCache('recordings', giveUp),
  });
}

function assembleAuthentication(
  options: ApiServerOptions,
  parts: ServerParts,
  made: {
    readonly authorization: Authorization | undefined;
    readonly certificates: Certificates;
    /** Authenticates the owners of other servers of the storage. */
    readonly owners: TokenAuthenticator;
    readonly isOwnerRevoked: () => boolean | Promise<boolean>;
  },
): Authentication {
  const { authorization, certificates, owners, isOwnerRevoked } = made;
  return new Authentication(options.authentication ?? {}, {
    ...parts,
    httpClient: options.network?.httpClient,
    reloadMetrics: reloadMeter(parts, 'apiserver_authentication_config_controller'),
    generatedAuthority: certificates.generated,
    otherOwners: parts.storage.isShared === true ? owners : undefined,
    isOwnerRevoked,
    anonymousByDefault: () => authorization?.anonymousByDefault ?? true,
    find: (definition, namespace, name) => parts.catalogue.find(definition, namespace, name),
  });
}

/** Counts the reloads of a configuration file with the metric names of Kubernetes. */
function reloadMeter({ metrics, owner }: ServerParts, subsystem: ReloadedSubsystem): ReloadMetrics {
  const { total, lastSeconds } = reloadMetrics(subsystem);
  return {
    reloaded(success, atSeconds) {
      const serverId = `sha256:${tokenDigest(`server ${owner.token}`)}`;
      const labels = { status: success ? 'success' : 'failure', apiserver_id_hash: serverId };
      metrics.counter(total).add(1, labels);
      metrics.gauge(lastSeconds).set(atSeconds, labels);
    },
  };
}

function assembleServer(
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
