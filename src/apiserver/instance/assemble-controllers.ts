import { queueMeters, type KindSource } from '../../controllers/index.js';
import { durationMs } from '../../foundation/index.js';
import { Lease, type QuotaCharges } from '../../kinds/index.js';
import type { Catalogue, ResourceDefinition } from '../../registry/index.js';
import type { Aggregation } from '../aggregation/aggregation.js';
import type { Authentication } from '../authentication/authentication.js';
import type { Certificates } from '../authentication/certificates.js';
import type { CustomResources } from '../custom-resources/custom-resources.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import type { ControllersOptions } from '../options/controllers-options.js';
import { deferredControllers } from '../controllers/controller-table.js';
import { createControllers, type Controllers } from '../controllers/controllers.js';
import type { GroupElection } from '../controllers/group-candidate.js';
import { beginTerm } from '../controllers/terms.js';
import type { Listeners } from './listeners.js';
import type { ServerParts } from './server-parts.js';

/** The parts of a server that its controllers use. */
interface UsedParts {
  readonly authentication: Authentication;
  readonly certificates: Certificates;
  readonly custom: CustomResources;
  readonly quotaCharges: QuotaCharges;
  readonly listeners: Listeners;
  readonly aggregation: Aggregation;
}

/**
 * Assembles the controllers of a server.
 *
 * @throws TypeError for an election on a server without Leases
 */
export function assembleControllers(
  options: ApiServerOptions,
  parts: ServerParts,
  { authentication, certificates, custom, quotaCharges, listeners, aggregation }: UsedParts,
): Controllers {
  const { enable, disable, namespaceDeletionDelay = 0, leaderElection, ...settings } = options.controllers ?? {};
  return createControllers({
    ...settings,
    enabled: enable,
    disabled: disable,
    namespaceDeletionDelayMs: durationMs(namespaceDeletionDelay),
    kinds: kindSource(parts.catalogue),
    customKinds: custom,
    dialect: parts.dialect,
    clock: parts.clock,
    deferred: deferredControllers,
    election: groupElection(leaderElection, parts),
    listeners,
    signLegacyToken: async (binding) => (await authentication.serviceAccounts.tokens()).legacyToken(binding),
    signingAuthorities: certificates,
    quotaCharges,
    apiServiceChecks: aggregation,
    extensionTrust: () => aggregation.extensionTrust(),
    rootCertificateAuthority: options.certificates?.rootAuthority,
    simulation: options.simulation,
    fairness: options.fairness === true,
    logger: parts.logger,
    featureGates: parts.featureGates,
    queueMeter: queueMeters(parts.metrics, parts.clock),
  });
}

/**
 * Returns how the groups of controllers find the server that runs them; undefined when this server runs all.
 *
 * @throws TypeError when the server has no Leases
 */
function groupElection(
  option: ControllersOptions['leaderElection'],
  { storage, catalogue, entropy, dialect }: ServerParts,
): GroupElection | undefined {
  if (!(option ?? storage.isShared ?? false)) return undefined;
  if (!catalogue.serves(Lease))
    throw new TypeError(
      'ApiServer: the option controllers.leaderElection needs the kind Lease: serve it by runtimeConfig, or turn the election off',
    );
  const identity = `${dialect.controllerManagerName}_${entropy.uuid()}`;
  return {
    identity,
    times: typeof option === 'object' ? option : {},
    entropy,
    beginTerm: (group, lease) => beginTerm(catalogue, group, identity, lease),
  };
}

/** Returns the served kinds, for the controllers. */
function kindSource(catalogue: Catalogue): KindSource {
  let resources: Catalogue['resources'] = [];
  let definitions: ResourceDefinition[] = [];
  return {
    definitions: () => {
      if (resources !== catalogue.resources) {
        resources = catalogue.resources;
        definitions = resources.map(({ definition }) => definition);
      }
      return definitions;
    },
    onChange: (listener) => void catalogue.onChange(listener),
  };
}
