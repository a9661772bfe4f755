import type { Client, KindReference } from '../../client/index.js';
import { apiVersionOf, groupName, systemGroup, type Dialect } from '../../foundation/index.js';
import { builtinResources, CustomResourceDefinition } from '../../kinds/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import { resourceOfWords, type NamedResource } from '../../security/index.js';
import { UsageError } from '../usage-error.js';
import type { ReadDocument } from './access.js';
import { servedKinds } from './served-kinds.js';

/** Objects of a page of a list. */
export const PAGE = 500;

/** The resource of a request, in the words of rules. */
export type WantedResource = ReturnType<typeof resourceOfWords>;

/** A server whose kinds have names. */
export interface KnownServer {
  readonly client: Client;
  readonly read: ReadDocument;
  readonly dialect: Dialect;
}

/**
 * Finds a resource by a name that people use, among those that a server serves: `pods`, `po`, `deployments.apps`,
 * `pods/log`. A resource with its group need not be known.
 *
 * @throws UsageError when no resource or several have the name
 */
export async function resourceNamed(words: string, server: KnownServer): Promise<WantedResource> {
  return resourceAmong([...(await knownKinds(server)), ...withoutKind(server.dialect)], words);
}

/** Returns the resources of rules that have no objects: those who may be impersonated, and whose certificates are signed. */
const withoutKind = (dialect: Dialect): readonly NamedResource[] =>
  [
    { group: '', resource: 'users', singular: 'user' },
    { group: '', resource: 'groups', singular: 'group' },
    { group: groupName(systemGroup('authentication'), dialect), resource: 'uids', singular: 'uid' },
    { group: groupName(systemGroup('authentication'), dialect), resource: 'userextras', singular: 'userextra' },
    { group: groupName(systemGroup('certificates'), dialect), resource: 'signers', singular: 'signer' },
  ].map((resource) => ({ ...resource, namespaced: false }));

/** A kind of a server. */
export type NamedKind = NamedResource & KindReference;

/**
 * Finds a kind by a name that people use: `deployments`, `deploy`, `deployments.apps`, `Deployment`.
 *
 * @throws UsageError when no kind or several have the name
 */
export async function kindNamed(words: string, server: KnownServer): Promise<NamedKind> {
  const known = await knownKinds(server);
  const { group, resource, subresource } = resourceAmong(known, words.toLowerCase());
  const found = known.find((kind) => kind.group === group && kind.resource === resource);
  if (found === undefined || subresource !== '')
    throw new UsageError(`the server does not have a kind ${JSON.stringify(words)}`);
  return found;
}

function resourceAmong(known: readonly NamedResource[], words: string): WantedResource {
  const [, name = '', group, subresource = ''] = /^([^./]+)(?:\.([^/]+))?(\/.+)?$/.exec(words) ?? [];
  try {
    return resourceOfWords(group === undefined ? words : `${name}${subresource}`, known, group);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.replace('needs the option group', 'needs its group: RESOURCE.GROUP'));
  }
}

/**
 * Returns the kinds of a server whose names are known: those that its discovery has, which are all; otherwise the built-in
 * ones and those of custom resource definitions.
 */
async function knownKinds({ client, read, dialect }: KnownServer): Promise<readonly NamedKind[]> {
  const served = await servedKinds(read, dialect);
  return served.length > 0 ? served : [...named(dialect, builtinResources), ...(await custom(client))];
}

/**
 * Returns the kinds of a server that have objects: the built-in ones, those of its definitions, and those that its program
 * defines.
 */
export const storedKinds = async (
  client: Client,
  dialect: Dialect,
  ofProgram: readonly ResourceDefinition[],
): Promise<NamedKind[]> => [
  ...named(
    dialect,
    [...builtinResources, ...ofProgram].filter(
      ({ virtual = false, verbs }) => !virtual && verbs?.includes('create') !== false,
    ),
  ),
  ...(await custom(client)),
];

function named(dialect: Dialect, resources: readonly ResourceDefinition[]): NamedKind[] {
  return resources.map(({ group, version, plural, singular, kind, shortNames, scope }) => ({
    ...{ group: groupName(group, dialect), apiVersion: apiVersionOf(groupName(group, dialect), version), kind },
    resource: plural,
    singular: singular ?? kind.toLowerCase(),
    shortNames,
    namespaced: scope === 'Namespaced',
  }));
}

async function custom(client: Client): Promise<NamedKind[]> {
  const resources: NamedKind[] = [];
  for await (const { spec } of client.resource(CustomResourceDefinition).each({ limit: PAGE })) {
    const { plural, singular, kind, shortNames } = spec.names;
    const { name: version = '' } = (spec.versions ?? []).find(({ served }) => served) ?? {};
    resources.push({
      ...{ group: spec.group, apiVersion: apiVersionOf(spec.group, version), kind },
      resource: plural,
      singular: singular ?? kind.toLowerCase(),
      shortNames,
      namespaced: spec.scope === 'Namespaced',
    });
  }
  return resources;
}
