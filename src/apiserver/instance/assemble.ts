/**
 * The composition of a server, in stages: each function takes the parts of the stages above it.
 *
 * @module
 */
import { writeTrigger } from '../../admission/index.js';
import { Namespace, QuotaCharges } from '../../kinds/index.js';
import { currentAuthorities, RBAC_AUTHORIZER, type TokenAuthenticator } from '../../security/index.js';
import type { GenericServer } from '../../server/index.js';
import { signerRights } from '../access/signer-rights.js';
import { BuiltinAdmission } from '../admission/admission-plugins.js';
import { accessDecider, AdmissionPolicies } from '../admission/admission-policies.js';
import { LateAgreement } from '../agreement/late-agreement.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import { Certificates } from '../authentication/certificates.js';
import type { Controllers } from '../controllers/controllers.js';
import { CustomResources } from '../custom-resources/custom-resources.js';
import { Audit } from '../observability/audit.js';
import type { ServerSnapshot } from '../storage/server-snapshot.js';
import { assembleControllers } from './assemble-controllers.js';
import { ServerFairness } from './fairness.js';
import { Listeners } from './listeners.js';
import { ServedPage } from './served-page.js';
import { serverParts, type ServerParts } from './server-parts.js';
import { assembleAuthentication, assembleAuthorization, type Authorizing } from './assemble-access.js';
import { assembleAggregation, assembleWebhooks, conversionTools } from './assemble-remote.js';
import { assembleServer } from './assemble-server.js';
import type { Assembly, AssemblyHost } from './assembly.js';
import { reloadMeter } from './reload-meter.js';

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

function assembleAudit({ observability = {} }: ApiServerOptions, parts: ServerParts): Audit | undefined {
  const { audit } = observability;
  if (audit === undefined) return undefined;
  const reloads = reloadMeter(parts, 'apiserver_audit_policy');
  return new Audit(audit, { ...parts, reloadMetrics: reloads });
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
