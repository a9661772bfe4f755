/**
 * Explains access on one server.
 *
 * @module
 */
import { inSlices, shareTurn, SharedWork, type UserInfo } from '../../foundation/index.js';
import { ClusterRole, Namespace } from '../../kinds/index.js';
import type { Catalogue, ResourceDefinition } from '../../registry/index.js';
import {
  explainInSteps,
  RBAC_AUTHORIZER,
  resourceOfWords,
  userOf,
  type AccessExplanation,
  type Attributes,
  type ClusterRoleObject,
  type NamedResource,
  type Opinion,
} from '../../security/index.js';
import { parseRequestInfo } from '../../server/index.js';
import type { AccessParts, ExplainAccessOptions, NamedAuthorizer } from './access.js';

/**
 * Implements `ApiServer.explain`.
 *
 * @throws TypeError for an unknown resource or contradictory arguments; errors of authorizers and of the storage
 */
export async function explainAccess(
  user: UserInfo | string,
  verb: string,
  resource: ResourceDefinition | string,
  options: ExplainAccessOptions,
  { rbac, authorizers, catalogue }: AccessParts,
): Promise<AccessExplanation> {
  const subject = userOf(user, options.groups);
  const { attributes, clusterScoped } =
    typeof resource === 'string' && resource.startsWith('/')
      ? pathRequest(subject, verb, resource, options)
      : resourceRequest(catalogue, subject, verb, resource, options);
  const active = authorizers();
  const activeRbac = active.some(({ name }) => name === RBAC_AUTHORIZER) ? rbac : undefined;
  await activeRbac?.ready();
  const clusterRoles = activeRbac === undefined ? [] : await storedClusterRoles(catalogue);
  const opinions = await opinionsOf(attributes, active);
  const { dialect } = catalogue.environment;
  const work = new SharedWork();
  const policy = activeRbac?.policy ?? {};
  const explained = { dialect, opinions, clusterScoped, clusterRoles };
  return inSlices(work, explainInSteps(attributes, policy, explained, work));
}

/** Returns the opinions of the authorizers, up to the first that decides. */
async function opinionsOf(attributes: Attributes, authorizers: readonly NamedAuthorizer[]): Promise<Opinion[]> {
  const opinions: Opinion[] = [];
  for (const { name, authorize } of authorizers) {
    const decision = await authorize(attributes);
    opinions.push({ ...decision, name });
    if (decision.decision !== 'NoOpinion') break;
  }
  return opinions;
}

async function storedClusterRoles(catalogue: Catalogue): Promise<ClusterRoleObject[]> {
  const store = catalogue.store(ClusterRole);
  const { records } = await store.list('');
  const roles: ClusterRoleObject[] = [];
  for (const record of records) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    // Stored objects were validated when they were written, so they have this type.
    roles.push(store.read(record));
  }
  return roles;
}

/** The request to explain. */
interface ExplainedRequest {
  readonly attributes: Attributes;
  readonly clusterScoped: boolean;
}

function pathRequest(
  user: UserInfo,
  verb: string,
  path: string,
  { namespace, name, subresource, group }: ExplainAccessOptions,
): ExplainedRequest {
  const more = Object.entries({ namespace, name, subresource, group }).flatMap(([option, value]) =>
    value === undefined ? [] : [option],
  );
  if (more.length > 0) throw new TypeError(`a path has no ${more.join(' and no ')}`);
  const info = parseRequestInfo('GET', path, '');
  if (!('isResource' in info)) throw new TypeError(`${JSON.stringify(path)} is not a valid path: ${info.message}`);
  if (info.isResource)
    throw new TypeError(
      `${JSON.stringify(path)} is the path of a resource: use ${JSON.stringify(info.resource)} instead`,
    );
  const none = { namespace: '', apiGroup: '', apiVersion: '', resource: '', subresource: '', name: '' };
  return { attributes: { user, verb, isResource: false, path: info.path, ...none }, clusterScoped: true };
}

/** Verbs of requests with an object name in the path. */
const NAMED_VERBS: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

function resourceRequest(
  catalogue: Catalogue,
  user: UserInfo,
  verb: string,
  resource: ResourceDefinition | string,
  options: ExplainAccessOptions,
): ExplainedRequest {
  const { name = '' } = options;
  const target =
    typeof resource === 'string'
      ? resourceOfWords(resource, namedResources(catalogue), options.group)
      : definedResource(catalogue, resource);
  const clusterScoped = target.namespaced === false;
  if (clusterScoped && options.namespace !== undefined && options.namespace !== '')
    throw new TypeError(`${JSON.stringify(target.resource)} is not in namespaces`);
  const namespaces = catalogue.store(Namespace).info;
  const subresource = options.subresource ?? target.subresource;
  // A request for one Namespace object is authorized in that namespace.
  const onOneNamespace =
    target.group === namespaces.group &&
    target.resource === namespaces.resource &&
    (subresource !== '' || NAMED_VERBS.has(verb));
  const namespace = onOneNamespace ? name : (options.namespace ?? '');
  const attributes = {
    user,
    verb,
    isResource: true,
    namespace,
    apiGroup: target.group,
    apiVersion: '*',
    resource: target.resource,
    subresource,
    name,
    path: '',
  };
  return { attributes, clusterScoped };
}

function definedResource(catalogue: Catalogue, definition: ResourceDefinition): ReturnType<typeof resourceOfWords> {
  const { group, resource, namespaced } = catalogue.store(definition).info;
  return { group, resource, subresource: '', namespaced };
}

function namedResources({ resources }: Catalogue): NamedResource[] {
  return resources.map(({ group, resource, singular, namespaced, definition }) => ({
    group,
    resource,
    singular,
    namespaced,
    shortNames: definition.shortNames,
  }));
}
