/**
 * Runtime checks of the server options, for programs without types. PEM texts, configurations and policies are checked
 * by the parts that read them.
 *
 * @module
 */
import {
  anObject,
  aBoolean,
  aClock,
  aFunction,
  aText,
  checkOptions,
  dialects,
  either,
  implementing,
  listOf,
  matching,
  nested,
  oneOf,
  shown,
  withMethods,
  type OptionChecks,
} from '../../foundation/index.js';
import { checkDefinition, type ResourceDefinition } from '../../registry/index.js';
import {
  featureGates,
  type ConnectHandlers,
  type RequestInterceptor,
  type VersionOptions,
} from '../../server/index.js';
import type { Storage } from '../../storage/index.js';
import { anAdmission, contradictionInAdmission } from './admission-options.js';
import type { ApiServerOptions } from './api-server-options.js';
import { authenticationChecks, contradictionInAuthentication } from './authentication-checks.js';
import { anAuthorization } from './authorization-checks.js';
import { certificateChecks } from './certificate-checks.js';
import { contradictionInControllers, controllersChecks } from './controllers-options.js';
import { limitChecks } from './limit-options.js';
import { movedOption } from './moved-options.js';
import { networkChecks } from './network-options.js';
import { contradictionInObservability, observabilityChecks } from './observability-options.js';

const STORAGE_METHODS = [
  'get',
  'list',
  'create',
  'update',
  'delete',
  'watch',
  'expiries',
  'currentRevision',
  'compactedRevision',
  'compact',
  'ping',
  'close',
] as const satisfies readonly (keyof Storage)[];

/** Checks a storage engine. */
export const aStorage = withMethods('a storage engine, such as createMemoryStorage() returns', ...STORAGE_METHODS);
const anEntropy = withMethods('a source of randomness', 'uuid', 'bytes');

const versionChecks: OptionChecks<VersionOptions> = {
  packageVersion: aText,
  gitCommit: aText,
  buildDate: aText,
  runtime: aText,
  platform: aText,
};

const interceptorChecks: OptionChecks<RequestInterceptor> = {
  request: aFunction,
  storage: aFunction,
  attach: aFunction,
  watch: aFunction,
  written: aFunction,
  opened: aFunction,
};

const handlerChecks: OptionChecks<ConnectHandlers> = {
  pods: nested({ log: aFunction, exec: aFunction, attach: aFunction, portForward: aFunction, proxy: aFunction }),
  services: nested({ proxy: aFunction }),
  nodes: nested({ proxy: aFunction }),
};

/** Checks of the server options. */
export const serverOptionChecks: OptionChecks<ApiServerOptions> = {
  dialect: either(anObject, oneOf(...dialects.keys())),
  resources: listOf(
    matching('a kind that defineResource returned', (value) => typeof value === 'object' && value !== null),
    'a list of kinds',
  ),
  conversionWebhooks: (value, path) =>
    anObject(value, path) ??
    Object.entries(value as object)
      .map(([name, convert]) => aFunction(convert, `${path}[${JSON.stringify(name)}]`))
      .find((problem) => problem !== undefined),
  storage: aStorage,
  replaceAgreement: aBoolean,
  authentication: nested(authenticationChecks),
  authorization: anAuthorization,
  admission: anAdmission,
  controllers: nested(controllersChecks),
  simulation: withMethods('a simulation that createSimulation returned', 'start'),
  handlers: nested(handlerChecks),
  network: nested(networkChecks),
  certificates: nested(certificateChecks),
  observability: nested(observabilityChecks),
  limits: nested(limitChecks),
  fairness: aBoolean,
  interceptor: implementing('an interceptor, such as { request }', interceptorChecks, ['request']),
  featureGates: matching(
    'a string such as "WatchList=true", or an object such as { WatchList: true }',
    (value) =>
      typeof value === 'string' ||
      (typeof value === 'object' &&
        value !== null &&
        Object.values(value).every((on) => on === undefined || typeof on === 'boolean')),
  ),
  runtimeConfig: aText,
  allowPrivileged: aBoolean,
  freezeHanded: aBoolean,
  release: aText,
  clock: aClock,
  entropy: anEntropy,
  version: nested(versionChecks),
};

/**
 * Checks the server options and their combinations.
 *
 * @throws TypeError that names the option and its requirement
 */
export function checkServerOptions(options: ApiServerOptions): void {
  const old = typeof options === 'object' && options !== null ? movedOption(options) : undefined;
  if (old !== undefined) throw new TypeError(`ApiServer: ${old}`);
  checkOptions('ApiServer', options, serverOptionChecks);
  const contradiction = contradictionOf(options);
  if (contradiction !== undefined) throw new TypeError(`ApiServer: ${contradiction}`);
}

function contradictionOf(options: ApiServerOptions): string | undefined {
  return (
    contradictionInObservability(options.observability) ??
    contradictionInControllers(options.controllers) ??
    contradictionInAdmission(options.admission) ??
    contradictionInAuthentication(options.authentication) ??
    (options.resources ?? []).map(unknownGate).find((problem) => problem !== undefined)
  );
}

/** Returns the problem of a kind with an unknown feature gate, which would never be enabled. */
function unknownGate({ kind, featureGate }: ResourceDefinition): string | undefined {
  if (featureGate === undefined || featureGates.some(({ name }) => name === featureGate)) return undefined;
  return `the option resources: ${kind} has the featureGate ${shown(featureGate)}, which does not exist, so it would never be served; omit it, or name one of ${featureGates.map(({ name }) => name).join(', ')}`;
}

/**
 * Checks custom kinds.
 *
 * @throws TypeError that names the invalid option of the kind
 */
export function checkGivenKinds(resources: readonly ResourceDefinition[]): void {
  for (const definition of resources) checkDefinition(definition);
}
