/**
 * The parts that ask other servers: webhooks, conversions, and the API servers of APIServices.
 *
 * @module
 */
import { InProcessWebhook } from '../../admission/index.js';
import { fetchHttpClient, type HttpClient } from '../../foundation/index.js';
import { serviceResolver, type ConverterTools } from '../../kinds/index.js';
import type { Authorizer } from '../../security/index.js';
import { countingCertificateFaults } from '../../server/index.js';
import { accessDecider } from '../admission/admission-policies.js';
import { ServedWebhooks } from '../admission/admission-webhooks.js';
import { answerDecoder } from '../admission/answer-decoder.js';
import { Aggregation } from '../aggregation/aggregation.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import type { Certificates } from '../authentication/certificates.js';
import type { ServerParts } from './server-parts.js';
import { ownWorkOf } from './own-work.js';

/** Assembles the admission webhooks that objects configure, and those of the program. */
export function assembleWebhooks(options: ApiServerOptions, parts: ServerParts, authorize: Authorizer): ServedWebhooks {
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

/** Assembles the API servers that APIServices name. */
export function assembleAggregation(
  options: ApiServerOptions,
  parts: ServerParts,
  { generated }: Certificates,
): Aggregation {
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

/** Returns the credentials for admission webhooks: those of their plugin, or those of all webhooks. */
const webhookCredentials = ({ admission = {} }: ApiServerOptions) => ({
  Mutating: admission.mutatingWebhooks?.credentials ?? admission.webhooks?.credentials,
  Validating: admission.validatingWebhooks?.credentials ?? admission.webhooks?.credentials,
});

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

/** Returns the parts that the conversions of custom resources need. */
export function conversionTools(options: ApiServerOptions, parts: ServerParts): ConverterTools {
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
