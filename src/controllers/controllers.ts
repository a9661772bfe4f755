import type { Client } from '../client/index.js';
import type { Clock } from '../meta/clock.js';
import { report } from '../meta/report.js';
import type { Dialect } from '../names/dialect.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { CertificateSigningRequest, ClusterTrustBundle, CustomResourceDefinition } from '../resources/index.js';
import { silentLogger, type Logger } from '../meta/logger.js';
import type { RequestInformer } from './certificates/request-controller.js';
import type { SigningAuthorities } from './certificates/signing.js';
import type { CustomKindHost } from './custom-resource-definitions/custom-kind-host.js';
import { clusterRoleAggregation } from './cluster-role-aggregation.js';
import { runController, stopController, type Controller } from './controller.js';
import { Informer } from './informer.js';
import { namespaceController } from './namespace/controller.js';
import { ServedKinds, type KindSource } from './served-kinds.js';
import { serviceAccountController } from './service-account.js';
import { settle } from './settle.js';

/** Names of the controllers, in the order in which they are started. */
export const controllerNames = [
  'namespace',
  'garbage-collector',
  'serviceaccount',
  'root-ca-cert-publisher',
  'clusterrole-aggregation',
  'csrapproving',
  'csrsigning',
  'csrcleaner',
  'apiserver-serving-clustertrustbundle-publisher',
  'tokencleaner',
  'bootstrapsigner',
  'customresourcedefinition',
] as const;

/** Name by which a controller is enabled or disabled. */
export type ControllerName = (typeof controllerNames)[number];

/** Options of {@link createControllers}. */
export interface ControllerOptions {
  /** The served kinds, in all versions; a {@link KindSource} when they change while the server runs. */
  readonly kinds: readonly ResourceDefinition[] | KindSource;
  /**
   * Access to the kinds of custom resource definitions and their objects. Without it, the controller
   * `customresourcedefinition` does not run.
   */
  readonly customKinds?: CustomKindHost | undefined;
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** Controllers to run although they are off by default: see {@link controllersOffByDefault}. */
  readonly enabled?: readonly ControllerName[] | undefined;
  /** Controllers that do not run. */
  readonly disabled?: readonly ControllerName[] | undefined;
  /**
   * Controllers that start only when {@link Controllers.wake} names them. Saves their watches while they have no work.
   */
  readonly deferred?: readonly ControllerName[] | undefined;
  /** Returns the server's certificate authority as PEM; called at each use. Undefined while there is none. */
  readonly rootCertificateAuthority?: (() => string | undefined) | undefined;
  /** Authorities of the built-in signers. Without them `csrsigning` does not run. */
  readonly signingAuthorities?: SigningAuthorities | undefined;
  readonly logger?: Logger | undefined;
  /**
   * Time between the deletion of a namespace and the deletion of its content, in milliseconds. Servers that share a
   * storage need a few seconds, so that all of them refuse new content before it is listed. Default 0.
   */
  readonly namespaceDeletionDelayMs?: number | undefined;
  /**
   * Deletes the other content of a namespace only after its pods (Kubernetes' feature gate OrderedNamespaceDeletion).
   * Default false.
   */
  readonly orderedNamespaceDeletion?: boolean | undefined;
  /**
   * Treatment of a reference to a known owner in another namespace. `ignored` (default): the reference has no effect.
   * `absent`: the owner counts as missing, as in Kubernetes, so an object without another owner is deleted. An Event
   * reports the reference in both cases.
   */
  readonly crossNamespaceOwners?: 'ignored' | 'absent' | undefined;
}

/** The controllers of a server. */
export interface Controllers {
  /**
   * Starts all controllers except the deferred ones.
   *
   * @param client client of the server; the controllers use nothing else
   */
  start(client: Client): void;
  /** Starts deferred controllers. Does nothing for controllers that run already or are disabled. */
  wake(...names: readonly ControllerName[]): void;
  /** Stops all controllers permanently: their watches, timers and queues. Resolves when nothing runs any more. */
  stop(): Promise<void>;
  /**
   * Resolves when all work caused by changes before the call is done. Delayed work does not count: a retry after a
   * failure, or the next attempt at a namespace that still has content.
   */
  settled(): Promise<void>;
}

interface Parts {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly options: ControllerOptions;
  /** Returns the informer of certificate signing requests that the controllers share; creates it at the first call. */
  readonly requests: () => RequestInformer;
  /** When the controllers started, in milliseconds since the epoch. A deferred controller may start later. */
  readonly startedMs: number;
  readonly onError: (error: unknown) => void;
}

/** Creates the controllers. Those that many servers do not need are loaded on first use. */
const FACTORIES: Readonly<Record<ControllerName, (parts: Parts) => Controller | Promise<Controller | undefined>>> = {
  namespace: ({ client, kinds, options, onError }) =>
    namespaceController({
      client,
      kinds,
      dialect: options.dialect,
      clock: options.clock,
      deletionDelayMs: options.namespaceDeletionDelayMs ?? 0,
      ordered: options.orderedNamespaceDeletion === true,
      onError,
    }),
  'garbage-collector': async ({ kinds, options, onError }) => {
    const { garbageCollector } = await import('./garbage-collector/controller.js');
    return garbageCollector({
      kinds,
      dialect: options.dialect,
      clock: options.clock,
      crossNamespaceOwners: options.crossNamespaceOwners ?? 'ignored',
      onError,
    });
  },
  serviceaccount: ({ client, options, onError }) => serviceAccountController({ client, clock: options.clock, onError }),
  'root-ca-cert-publisher': async ({ client, options, onError }) => {
    const { rootCertificateAuthority, clock, dialect } = options;
    if (rootCertificateAuthority === undefined) return undefined;
    const { rootCaPublisher } = await import('./root-ca-cert-publisher.js');
    return rootCaPublisher({ client, clock, dialect, certificateAuthority: rootCertificateAuthority, onError });
  },
  'clusterrole-aggregation': ({ client, options: { clock }, onError }) =>
    clusterRoleAggregation({ client, clock, onError }),
  csrapproving: async (parts) => {
    if (!serves(parts, CertificateSigningRequest)) return undefined;
    const { requestApprover } = await import('./certificates/approving.js');
    return requestApprover({ ...commonOf(parts), informer: parts.requests() });
  },
  csrsigning: async (parts) => {
    const { signingAuthorities: authorities } = parts.options;
    if (authorities === undefined || !serves(parts, CertificateSigningRequest)) return undefined;
    const { requestSigner } = await import('./certificates/signing.js');
    return requestSigner({ ...commonOf(parts), informer: parts.requests(), authorities });
  },
  csrcleaner: async (parts) => {
    if (!serves(parts, CertificateSigningRequest)) return undefined;
    const { requestCleaner } = await import('./certificates/cleaner.js');
    return requestCleaner({ ...commonOf(parts), startedMs: parts.startedMs, informer: parts.requests() });
  },
  'apiserver-serving-clustertrustbundle-publisher': async (parts) => {
    const { rootCertificateAuthority: certificateAuthority, dialect } = parts.options;
    if (certificateAuthority === undefined || !serves(parts, ClusterTrustBundle)) return undefined;
    const { trustBundlePublisher } = await import('./certificates/trust-bundle-publisher.js');
    return trustBundlePublisher({
      ...commonOf(parts),
      signerName: dialect.apiServerServingSigner,
      certificateAuthority,
    });
  },
  tokencleaner: async (parts) => {
    const { tokenCleaner } = await import('./token-cleaner.js');
    return tokenCleaner(commonOf(parts));
  },
  bootstrapsigner: async (parts) => {
    const { bootstrapSigner } = await import('./bootstrap-signer.js');
    return bootstrapSigner(commonOf(parts));
  },
  customresourcedefinition: async (parts) => {
    const { customKinds: host } = parts.options;
    if (host === undefined || !serves(parts, CustomResourceDefinition)) return undefined;
    const { definitionController } = await import('./custom-resource-definitions/controller.js');
    return definitionController({ ...commonOf(parts), kinds: parts.kinds, host });
  },
};

/** Returns the options that most controllers share. */
const commonOf = ({ client, options: { clock, dialect }, onError }: Parts) => ({ client, clock, dialect, onError });

/** Returns the kinds as a source. */
function kindsOf({ kinds }: ControllerOptions): KindSource {
  return 'definitions' in kinds ? kinds : { definitions: () => kinds, onChange: () => undefined };
}

const serves = ({ options }: Parts, definition: ResourceDefinition): boolean =>
  kindsOf(options).definitions().includes(definition);

/** Controllers that run only when they are enabled by name. */
export const controllersOffByDefault: readonly ControllerName[] = ['tokencleaner', 'bootstrapsigner'];

function isOff(name: ControllerName, { enabled = [], disabled = [] }: ControllerOptions): boolean {
  return disabled.includes(name) || (controllersOffByDefault.includes(name) && !enabled.includes(name));
}

/** Creates the controllers of a server. They do nothing until {@link Controllers.start} is called. */
export function createControllers(options: ControllerOptions): Controllers {
  const logger = options.logger ?? silentLogger;
  let kinds: ServedKinds | undefined;
  let requests: RequestInformer | undefined;
  const woken = new Set<ControllerName>();
  const begun = new Set<ControllerName>();
  const controllers: Controller[] = [];
  const starting: Promise<void>[] = [];
  let running: { readonly client: Client; readonly startedMs: number } | undefined;
  let stopped = false;

  const run = async (controller: Controller | undefined): Promise<void> => {
    if (controller === undefined || stopped) return;
    controllers.push(controller);
    await runController(controller);
  };

  const startOne = (name: ControllerName): void => {
    if (running === undefined || begun.has(name) || isOff(name, options)) return;
    const { client, startedMs } = running;
    begun.add(name);
    kinds ??= new ServedKinds(client, kindsOf(options), options.dialect);
    const onError = (error: unknown): void =>
      report(() => logger.error('controller failed and will retry', { controller: name, error }));
    const sharedRequests = (): RequestInformer =>
      (requests ??= new Informer({
        source: client.resource(CertificateSigningRequest),
        clock: options.clock,
        onError,
      }));
    const controller = FACTORIES[name]({ client, kinds, options, requests: sharedRequests, startedMs, onError });
    // A controller that cannot start must not block the other controllers or the shutdown.
    starting.push((controller instanceof Promise ? controller.then(run) : run(controller)).catch(onError));
  };

  return {
    start(client) {
      if (running !== undefined || stopped) return;
      running = { client, startedMs: options.clock.now() };
      for (const name of controllerNames)
        if (options.deferred?.includes(name) !== true || woken.has(name)) startOne(name);
    },
    wake(...names) {
      for (const name of names) {
        woken.add(name);
        if (!stopped) startOne(name);
      }
    },
    async stop() {
      stopped = true;
      await Promise.all(controllers.map(stopController));
      await Promise.all(starting);
    },
    async settled() {
      await Promise.all(starting);
      await settle([...controllers], () => stopped);
    },
  };
}
