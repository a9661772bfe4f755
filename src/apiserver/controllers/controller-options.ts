import type {
  ApiServiceChecks,
  CustomKindHost,
  ExtensionTrust,
  KindSource,
  ListenerSource,
  MeasuredQueue,
  QueueMeter,
  SigningAuthorities,
} from '../../controllers/index.js';
import type { Clock, Dialect, Logger } from '../../foundation/index.js';
import type { QuotaCharges } from '../../kinds/index.js';
import type { FeatureSwitches, ResourceDefinition } from '../../registry/index.js';
import type { LegacyTokenBinding } from '../../security/index.js';
import type { Simulation } from '../../simulation/index.js';
import type { ControllerName } from './controller-names.js';
import type { GroupElection } from './group-candidate.js';

/** Options of {@link createControllers}. */
export interface ControllerOptions extends ControllerSettings {
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
  /**
   * Signs a service account token without an expiry, for a Secret that asks for one. Without it `serviceaccount-token`
   * does not run.
   */
  readonly signLegacyToken?: ((binding: LegacyTokenBinding) => Promise<string>) | undefined;
  /** Authorities of the built-in signers. Without them `csrsigning` does not run. */
  readonly signingAuthorities?: SigningAuthorities | undefined;
  readonly logger?: Logger | undefined;
  /** Returns what measures a work queue. Default: none is measured. */
  readonly queueMeter?: ((queue: MeasuredQueue) => QueueMeter) | undefined;
  /** The amounts that admission has taken from quotas; the controller `resourcequota` adds them to what it counts. */
  readonly quotaCharges?: QuotaCharges | undefined;
  /** Feature gates of the server. Without them `validatingadmissionpolicy-status` does not run. */
  readonly featureGates?: FeatureSwitches | undefined;
  /** Whether the server has API Priority and Fairness. Otherwise its controllers do not run. Default false. */
  readonly fairness?: boolean | undefined;
  /** The listeners of the server. Without them, the controllers of its Service and Lease do not run. */
  readonly listeners?: ListenerSource | undefined;
  /** How groups of controllers find the server that runs them; undefined for a server that has its store for itself. */
  readonly election?: GroupElection | undefined;
  /** Checks of the servers of other API groups. Without them `apiservice-availability` does not run. */
  readonly apiServiceChecks?: ApiServiceChecks | undefined;
  /**
   * Returns the credentials that the servers of other API groups may accept. Without it,
   * `extension-apiserver-authentication` does not run.
   */
  readonly extensionTrust?: (() => Promise<ExtensionTrust>) | undefined;
  /** Simulated nodes, from `createSimulation`. */
  readonly simulation?: Simulation | undefined;
  /** Time between the deletion of a namespace and the deletion of its content, in milliseconds. Default 0. */
  readonly namespaceDeletionDelayMs?: number | undefined;
}

/** Settings of single controllers, which are also options of a server. */
export interface ControllerSettings {
  /**
   * Number of pods that have ended and that the controller `podgc` keeps; the oldest of more are deleted. Default 12500;
   * 0 keeps all.
   */
  readonly terminatedPodThreshold?: number | undefined;
  /**
   * Treatment of a reference to an owner in another namespace. `absent` (default): the owner counts as missing, as in
   * Kubernetes, so that an object without another owner is deleted, and one with another owner loses the reference.
   * `ignored`: the reference has no effect. An Event reports the reference in both cases.
   */
  readonly crossNamespaceOwners?: 'ignored' | 'absent' | undefined;
  /**
   * Deletes the other content of a namespace only after its pods (Kubernetes' feature gate OrderedNamespaceDeletion).
   * Default false.
   */
  readonly orderedNamespaceDeletion?: boolean | undefined;
}

/** Returns the kinds as a source. */
export function kindsOf({ kinds }: ControllerOptions): KindSource {
  return 'definitions' in kinds ? kinds : { definitions: () => kinds, onChange: () => undefined };
}
