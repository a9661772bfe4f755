/**
 * The built-in admission plugins of one server, in the order of their table. Their code is loaded when they are first
 * needed.
 *
 * @module
 */
import {
  admissionPluginNames,
  alwaysAdmit,
  alwaysDeny,
  certificateAdmission,
  concernsQuotas,
  latePlugin,
  mirrorOf,
  namespaceLifecycle,
  runningPlugins,
  type AdmissionPluginName,
  type DecideAccess,
  type MirroredKind,
  type AdmissionPluginOptions,
  type SignerRights,
} from '../../admission/index.js';
import {
  importAccountLookup,
  importAntiAffinity,
  importClaimResize,
  importDefaultIngressClass,
  importDefaultStorageClass,
  importDefaultTolerations,
  importEventRateLimit,
  importExtendedResourceToleration,
  importExternalIps,
  importImagePolicy,
  importLimitRanger,
  importNamespaces,
  importOwnerReferences,
  importPodNodeSelector,
  importPodSecurity,
  importPriority,
  importPullImages,
  importResourceQuota,
  importRuntimeClass,
  importServiceAccount,
  importStorageProtection,
  importTaintNodes,
  importTolerationRestriction,
} from '../../admission/late.js';
import { ApiError, type Entropy, type Logger, type StoredObject } from '../../foundation/index.js';
import {
  CronJob,
  DaemonSet,
  Deployment,
  Event,
  EventEventsV1,
  Ingress,
  IngressClass,
  Job,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  PriorityClass,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Service,
  StatefulSet,
  StorageClass,
  type QuotaCharges,
} from '../../kinds/index.js';
import type { AdmissionPlugin, Catalogue, OperationClient } from '../../registry/index.js';
import { countingCertificateFaults, podSecurityMeter, type Metrics } from '../../server/index.js';
import { lateNodeRestriction } from './node-restriction.js';

/** The parts that the plugins of a server need. */
export interface AdmissionPluginParts {
  readonly catalogue: Catalogue;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly entropy: Entropy;
  readonly decideAccess: DecideAccess;
  readonly signerRights: SignerRights;
  /** Whether the mode Node authorizes node agents. */
  readonly allowsNodes: () => boolean;
  readonly quotaCharges: QuotaCharges;
  /** Returns a client that acts as the server. */
  readonly client: () => OperationClient;
  /** The plugins that other parts of the server have. */
  readonly given: Readonly<Record<GivenPlugin, AdmissionPlugin>>;
}

type GivenPlugin = 'MutatingAdmissionWebhook' | 'ValidatingAdmissionPolicy' | 'ValidatingAdmissionWebhook';

/** The first of the plugins that run last. Those of users run before it. */
const LAST: AdmissionPluginName = 'MutatingAdmissionWebhook';

type Factories = Readonly<Record<AdmissionPluginName, () => AdmissionPlugin>>;

/** The built-in admission plugins of one server. */
export class BuiltinAdmission {
  readonly #running: ReadonlySet<AdmissionPluginName>;
  readonly #mirrors: Pick<MirroredKind<unknown>, 'start' | 'stop'>[] = [];
  readonly #factories: Factories;

  constructor(options: AdmissionPluginOptions, parts: AdmissionPluginParts) {
    this.#running = runningPlugins(options.enable, options.disable);
    this.#factories = this.#factoriesOf(options, parts);
  }

  /** Returns whether a plugin runs. */
  runs(name: AdmissionPluginName): boolean {
    return this.#running.has(name);
  }

  /** Returns the plugins that run, in order. Called once. @param users plugins of users, and those for them */
  plugins(users: readonly AdmissionPlugin[]): AdmissionPlugin[] {
    return admissionPluginNames.flatMap((name) => [
      ...(name === LAST ? users : []),
      ...(this.#running.has(name) ? [this.#factories[name]()] : []),
    ]);
  }

  /** Reads the objects that plugins consult, and starts to follow them. @throws StorageError */
  async start(): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
  }

  /** Stops following them. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
  }

  #followed<Item>(mirror: MirroredKind<Item>): MirroredKind<Item> {
    this.#mirrors.push(mirror);
    return mirror;
  }

  #factoriesOf(options: AdmissionPluginOptions, parts: AdmissionPluginParts): Factories {
    return {
      ...ofServer(options, parts),
      ...this.#ofPods(options, parts),
      ...this.#ofOthers(options, parts),
      ...ofCertificates(parts),
    };
  }

  #ofPods(options: AdmissionPluginOptions, parts: AdmissionPluginParts) {
    const { catalogue } = parts;
    const { dialect, clock } = catalogue.environment;
    const findNamespace = namespaceFinder(catalogue);
    const pods = { kinds: [Pod], operations: ['CREATE', 'UPDATE'] } as const;
    return {
      LimitRanger: () => {
        const ranges = this.#followed(mirrorOf(LimitRange, parts));
        return latePlugin({
          ...{ name: 'LimitRanger', kinds: [Pod, PersistentVolumeClaim], operations: pods.operations, stages: 'both' },
          concerns: ({ namespace }) => ranges.has(namespace),
          load: async () => (await importLimitRanger()).limitRanger(dialect, ranges),
        });
      },
      ServiceAccount: () =>
        latePlugin({
          ...{ name: 'ServiceAccount', ...pods, stages: 'both' },
          concerns: ({ operation, subresource }) =>
            subresource === (operation === 'CREATE' ? '' : 'ephemeralcontainers'),
          load: async () => {
            const [{ serviceAccount }, { accountLookup }] = await Promise.all([
              importServiceAccount(),
              importAccountLookup(),
            ]);
            return serviceAccount(dialect, accountLookup(catalogue, clock));
          },
        }),
      PodSecurity: () =>
        latePlugin({
          name: 'PodSecurity',
          kinds: [Namespace, Pod, ...WORKLOADS],
          operations: ['CREATE', 'UPDATE'],
          stages: 'validate',
          load: async () =>
            (await importPodSecurity()).podSecurity(options.podSecurity ?? {}, {
              ...{ dialect, clock, catalogue, findNamespace },
              workloads: WORKLOADS,
              meter: podSecurityMeter(parts.metrics),
            }),
        }),
      PodNodeSelector: () =>
        latePlugin({
          ...{ name: 'PodNodeSelector', kinds: [Pod], operations: ['CREATE'], stages: 'both' },
          load: async () =>
            (await importPodNodeSelector()).podNodeSelector(dialect, findNamespace, options.podNodeSelector),
        }),
      Priority: () => {
        const classes = this.#followed(mirrorOf(PriorityClass, parts));
        return latePlugin({
          ...{ name: 'Priority', kinds: [Pod, PriorityClass], operations: pods.operations, stages: 'both' },
          load: async () => (await importPriority()).priority(catalogue, classes),
        });
      },
      DefaultTolerationSeconds: () =>
        latePlugin({
          ...{ name: 'DefaultTolerationSeconds', ...pods, stages: 'mutate' },
          load: async () =>
            (await importDefaultTolerations()).defaultTolerationSeconds(dialect, options.defaultTolerations),
        }),
      PodTolerationRestriction: () =>
        latePlugin({
          ...{ name: 'PodTolerationRestriction', ...pods, stages: 'both' },
          concerns: ({ subresource }) => subresource === '',
          load: async () =>
            (await importTolerationRestriction()).podTolerationRestriction(
              dialect,
              findNamespace,
              options.podTolerationRestriction,
            ),
        }),
      AlwaysPullImages: () =>
        latePlugin({
          ...{ name: 'AlwaysPullImages', ...pods, stages: 'both' },
          load: async () => (await importPullImages()).alwaysPullImages(),
        }),
      ExtendedResourceToleration: () =>
        latePlugin({
          ...{ name: 'ExtendedResourceToleration', ...pods, stages: 'mutate' },
          load: async () => (await importExtendedResourceToleration()).extendedResourceToleration(dialect),
        }),
      LimitPodHardAntiAffinityTopology: () =>
        latePlugin({
          ...{ name: 'LimitPodHardAntiAffinityTopology', ...pods, stages: 'validate' },
          load: async () => (await importAntiAffinity()).limitPodHardAntiAffinityTopology(dialect),
        }),
      RuntimeClass: () =>
        latePlugin({
          ...{ name: 'RuntimeClass', kinds: [Pod], operations: ['CREATE'], stages: 'both' },
          concerns: ({ object, subresource }) => subresource === '' && usesRuntimeClass(object?.['spec']),
          load: async () => (await importRuntimeClass()).runtimeClass(catalogue),
        }),
    };
  }

  #ofOthers(options: AdmissionPluginOptions, parts: AdmissionPluginParts) {
    const { catalogue, decideAccess, quotaCharges } = parts;
    const { dialect, clock } = catalogue.environment;
    return {
      TaintNodesByCondition: () =>
        latePlugin({
          ...{ name: 'TaintNodesByCondition', kinds: [Node], operations: ['CREATE'], stages: 'mutate' },
          load: async () => (await importTaintNodes()).taintNodesByCondition(dialect),
        }),
      DefaultStorageClass: () => {
        const classes = this.#followed(mirrorOf(StorageClass, parts));
        return latePlugin({
          name: 'DefaultStorageClass',
          ...{ kinds: [PersistentVolumeClaim], operations: ['CREATE'], stages: 'mutate' },
          concerns: () => classes.has(''),
          load: async () => (await importDefaultStorageClass()).defaultStorageClass(dialect, classes),
        });
      },
      DefaultIngressClass: () => {
        const classes = this.#followed(mirrorOf(IngressClass, parts));
        return latePlugin({
          ...{ name: 'DefaultIngressClass', kinds: [Ingress], operations: ['CREATE'], stages: 'mutate' },
          concerns: () => classes.has(''),
          load: async () => (await importDefaultIngressClass()).defaultIngressClass(dialect, classes),
        });
      },
      StorageObjectInUseProtection: () =>
        latePlugin({
          name: 'StorageObjectInUseProtection',
          ...{ kinds: [PersistentVolume, PersistentVolumeClaim], operations: ['CREATE'], stages: 'mutate' },
          load: async () => (await importStorageProtection()).storageObjectInUseProtection(dialect),
        }),
      PersistentVolumeClaimResize: () =>
        latePlugin({
          name: 'PersistentVolumeClaimResize',
          ...{ kinds: [PersistentVolumeClaim], operations: ['UPDATE'], stages: 'validate' },
          load: async () => (await importClaimResize()).persistentVolumeClaimResize(dialect, catalogue),
        }),
      OwnerReferencesPermissionEnforcement: () =>
        latePlugin({
          name: 'OwnerReferencesPermissionEnforcement',
          ...{ operations: ['CREATE', 'UPDATE'], stages: 'validate' },
          concerns: ({ object, oldObject }) =>
            object?.metadata.ownerReferences !== undefined || oldObject?.metadata.ownerReferences !== undefined,
          load: async () =>
            (await importOwnerReferences()).ownerReferencesPermissionEnforcement(catalogue, decideAccess),
        }),
      DenyServiceExternalIPs: () =>
        latePlugin({
          ...{ name: 'DenyServiceExternalIPs', kinds: [Service], operations: ['CREATE', 'UPDATE'], stages: 'validate' },
          load: async () => (await importExternalIps()).denyServiceExternalIPs(),
        }),
      ResourceQuota: () => {
        const quotas = this.#followed(mirrorOf(ResourceQuota, parts));
        const { limitedResources: limited = [] } = options.resourceQuota ?? {};
        return latePlugin({
          ...{ name: 'ResourceQuota', operations: ['CREATE', 'UPDATE'], stages: 'validate' },
          concerns: (attributes) => concernsQuotas(attributes, quotas, limited),
          load: async () => {
            const [{ resourceQuota }] = await Promise.all([importResourceQuota(), ResourceQuota.prepare?.()]);
            return resourceQuota({ dialect, clock, catalogue, quotas, limited, charges: quotaCharges });
          },
        });
      },
    };
  }
}

/** Kinds with a template of pods. */
const WORKLOADS = [
  ReplicationController,
  PodTemplate,
  ReplicaSet,
  Deployment,
  StatefulSet,
  DaemonSet,
  Job,
  CronJob,
] as const;

/** Plugins whose code every server has, and those of its other parts. */
function ofServer(options: AdmissionPluginOptions, parts: AdmissionPluginParts) {
  const { catalogue, allowsNodes, client, given, entropy } = parts;
  const { dialect, clock } = catalogue.environment;
  const findNamespace = namespaceFinder(catalogue);
  const isForced = options.enable?.includes('NodeRestriction') === true;
  return {
    AlwaysAdmit: () => alwaysAdmit,
    AlwaysDeny: () => alwaysDeny,
    NamespaceLifecycle: () => namespaceLifecycle(dialect, findNamespace),
    NamespaceAutoProvision: () =>
      latePlugin({
        ...{ name: 'NamespaceAutoProvision', operations: ['CREATE'], stages: 'mutate' },
        concerns: ({ namespace }) => namespace !== '',
        load: async () =>
          (await importNamespaces()).namespaceAutoProvision(findNamespace, (name) => createNamespace(client(), name)),
      }),
    NamespaceExists: () =>
      latePlugin({
        ...{ name: 'NamespaceExists', operations: ['CREATE', 'UPDATE', 'DELETE'], stages: 'validate' },
        concerns: ({ namespace }) => namespace !== '',
        load: async () => (await importNamespaces()).namespaceExists(findNamespace),
      }),
    NodeRestriction: () =>
      lateNodeRestriction({
        dialect,
        findPod: (namespace, name) => catalogue.find(Pod, namespace, name),
        findNode: (name) => catalogue.find(Node, '', name),
        active: () => isForced || allowsNodes(),
      }),
    EventRateLimit: () =>
      latePlugin({
        name: 'EventRateLimit',
        ...{ kinds: [Event, EventEventsV1], operations: ['CREATE', 'UPDATE'], stages: 'validate' },
        load: async () =>
          (await importEventRateLimit()).eventRateLimit(clock, {
            limits: options.eventRateLimit?.limits ?? [],
          }),
      }),
    ImagePolicyWebhook: () => {
      const { imagePolicyWebhook: service } = options;
      if (service === undefined) return notBuilt('ImagePolicyWebhook');
      return latePlugin({
        ...{ name: 'ImagePolicyWebhook', kinds: [Pod], operations: ['CREATE', 'UPDATE'], stages: 'validate' },
        concerns: ({ subresource }) => subresource === '' || subresource === 'ephemeralcontainers',
        load: async () =>
          (await importImagePolicy()).imagePolicyWebhook(
            { ...service, post: countingCertificateFaults(service.post, parts.metrics) },
            { dialect, clock, entropy },
          ),
      });
    },
    MutatingAdmissionWebhook: () => given.MutatingAdmissionWebhook,
    ValidatingAdmissionPolicy: () => given.ValidatingAdmissionPolicy,
    ValidatingAdmissionWebhook: () => given.ValidatingAdmissionWebhook,
  };
}

function ofCertificates({ catalogue, signerRights }: AdmissionPluginParts) {
  const named = new Map(
    certificateAdmission(catalogue.environment.dialect, signerRights).map((plugin) => [plugin.name, plugin]),
  );
  const factory = (name: AdmissionPluginName) => () => named.get(name) ?? notBuilt(name);
  return {
    CertificateApproval: factory('CertificateApproval'),
    CertificateSigning: factory('CertificateSigning'),
    ClusterTrustBundleAttest: factory('ClusterTrustBundleAttest'),
    CertificateSubjectRestriction: factory('CertificateSubjectRestriction'),
  };
}

/** The options have refused such a plugin. */
function notBuilt(name: string): never {
  throw new Error(`this server does not have the admission plugin ${name}`);
}

const namespaceFinder =
  (catalogue: Catalogue) =>
  (name: string): Promise<StoredObject | undefined> =>
    catalogue.find(Namespace, '', name);

const usesRuntimeClass = (spec: unknown): boolean =>
  typeof spec === 'object' && spec !== null && ('runtimeClassName' in spec || 'overhead' in spec);

async function createNamespace(client: OperationClient, name: string): Promise<void> {
  try {
    await client.resource(Namespace).create({ metadata: { name } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error;
  }
}
