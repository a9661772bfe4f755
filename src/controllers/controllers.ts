import type { Client } from '../client/index.js';
import type { Clock } from '../meta/clock.js';
import { report } from '../meta/report.js';
import type { Dialect } from '../names/dialect.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { CertificateSigningRequest, ClusterTrustBundle } from '../resources/index.js';
import { silentLogger, type Logger } from '../meta/logger.js';
import type { RequestInformer } from './certificates/request-controller.js';
import type { SigningAuthorities } from './certificates/signing.js';
import { clusterRoleAggregation } from './cluster-role-aggregation.js';
import { runController, stopController, type Controller } from './controller.js';
import { Informer } from './informer.js';
import { namespaceController } from './namespace/controller.js';
import { ServedKinds } from './served-kinds.js';
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
] as const;

/** Name of a controller, as it is disabled and enabled by. */
export type ControllerName = (typeof controllerNames)[number];

/** What the controllers are told of their server. */
export interface ControllerOptions {
  /** Every kind that is served, in every version. */
  readonly kinds: readonly ResourceDefinition[];
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** Controllers that are off by default, and run: see {@link controllersOffByDefault}. */
  readonly enabled?: readonly ControllerName[] | undefined;
  /** Controllers that do not run. */
  readonly disabled?: readonly ControllerName[] | undefined;
  /** Controllers that begin only when they are woken: who knows that there is no work for them saves what they would watch. */
  readonly deferred?: readonly ControllerName[] | undefined;
  /** The server's certificate authority as PEM, asked for at each use; undefined while there is none. */
  readonly rootCertificateAuthority?: (() => string | undefined) | undefined;
  /** By what the platform's signers sign what is requested of them; without it they do not. */
  readonly signingAuthorities?: SigningAuthorities | undefined;
  readonly logger?: Logger | undefined;
  /**
   * How long after a namespace was deleted its content is deleted, in milliseconds. Servers that share a storage need some
   * seconds, so that all of them know of the end before the content is counted. Default 0.
   */
  readonly namespaceDeletionDelayMs?: number | undefined;
  /** The rest of a namespace is deleted only when its pods are gone: production's gate OrderedNamespaceDeletion. Default false. */
  readonly orderedNamespaceDeletion?: boolean | undefined;
  /**
   * What a reference to a known owner of another namespace is. `ignored` (default): no reason to do anything. `absent`: a
   * reference to an owner that is not there, as in production, so that an object with no other owner is deleted. Either
   * way an Event reports it.
   */
  readonly crossNamespaceOwners?: 'ignored' | 'absent' | undefined;
}

/** The controllers of a server. */
export interface Controllers {
  /**
   * Begins to watch and to work, but for the deferred ones.
   *
   * @param client reaches the server; the controllers work through it alone
   */
  start(client: Client): void;
  /** Begins with deferred controllers, now that there may be work for them. Does nothing for those that run or are disabled. */
  wake(...names: readonly ControllerName[]): void;
  /** Ends watches, timers and work, for good. Resolves when nothing runs any more. */
  stop(): Promise<void>;
  /**
   * Resolves when nothing is left to do about what happened before the call. Work that waits for a time does not count: a
   * retry after a failure, or the next look at a namespace that something holds up.
   */
  settled(): Promise<void>;
}

interface Parts {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly options: ControllerOptions;
  /** Follows the certificate signing requests, for all that work on them; made at the first use. */
  readonly requests: () => RequestInformer;
  /** When the controllers started, in milliseconds since the epoch; a deferred one may begin later. */
  readonly startedMs: number;
  readonly onError: (error: unknown) => void;
}

/** What many servers have no work for is loaded when it begins. */
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
};

/** What most controllers need. */
const commonOf = ({ client, options: { clock, dialect }, onError }: Parts) => ({ client, clock, dialect, onError });

const serves = ({ options }: Parts, definition: ResourceDefinition): boolean => options.kinds.includes(definition);

/** Controllers that run only when they are enabled by name. */
export const controllersOffByDefault: readonly ControllerName[] = ['tokencleaner', 'bootstrapsigner'];

function isOff(name: ControllerName, { enabled = [], disabled = [] }: ControllerOptions): boolean {
  return disabled.includes(name) || (controllersOffByDefault.includes(name) && !enabled.includes(name));
}

/** Makes the controllers of a server. They do nothing before they are started. */
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
    kinds ??= new ServedKinds(client, options.kinds, options.dialect);
    const onError = (error: unknown): void =>
      report(() => logger.error('controller failed; it tries again', { controller: name, error }));
    const sharedRequests = (): RequestInformer =>
      (requests ??= new Informer({
        source: client.resource(CertificateSigningRequest),
        clock: options.clock,
        onError,
      }));
    const controller = FACTORIES[name]({ client, kinds, options, requests: sharedRequests, startedMs, onError });
    // One that cannot begin holds up neither the others nor the end.
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
