import { servedResources, type Client, type UntypedObject } from '../../client/index.js';
import { ApiError, type Dialect } from '../../foundation/index.js';
import { APIService, Namespace } from '../../kinds/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import type { ReadDocument } from './access.js';
import { PAGE, storedKinds, type NamedKind } from './known-resources.js';

const NOT_FOUND = 404;

/** A server whose objects are read. */
export interface ReadServer {
  readonly client: Client;
  readonly read: ReadDocument;
  readonly dialect: Dialect;
  /** The kinds that its program defines. */
  readonly resources: readonly ResourceDefinition[];
}

/** The objects of a server. */
export interface ReadObjects {
  readonly objects: readonly UntypedObject[];
  /** The kinds of other objects that the server stores, such as `pools.shop.example`. */
  readonly omitted: readonly string[];
}

/**
 * Returns the objects of the built-in kinds of a server, of its custom resource definitions and of its program, all from the
 * same moment.
 *
 * @throws ApiError 403 for a kind that the user must not list; 410 when the server discards the state meanwhile
 */
export async function allObjects(server: ReadServer): Promise<ReadObjects> {
  const { client, dialect, resources } = server;
  const { metadata } = await client.resource(Namespace).list({ limit: 1 });
  const state = { resourceVersion: metadata.resourceVersion, resourceVersionMatch: 'Exact' } as const;
  const kinds = await storedKinds(client, dialect, resources);
  // Events are served in two groups.
  const objects = new Map<string, UntypedObject>();
  for (const { apiVersion, kind } of kinds) {
    try {
      for await (const page of client.resource({ apiVersion, kind }).pages({ ...state, limit: PAGE }))
        for (const object of page.items) {
          const { uid = '', namespace = '', name = '' } = object.metadata;
          const key = uid || `${apiVersion} ${kind} ${namespace}/${name}`;
          if (!objects.has(key)) objects.set(key, object);
        }
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== NOT_FOUND) throw error;
    }
  }
  return { objects: [...objects.values()], omitted: await omittedBy(kinds, server) };
}

/** Returns the kinds that a server stores besides some, without those of other servers behind it. */
async function omittedBy(kinds: readonly NamedKind[], { client, read, dialect }: ReadServer): Promise<string[]> {
  const elsewhere = new Set<string>();
  for await (const { spec } of client.resource(APIService).each({ limit: PAGE }))
    if (spec?.service !== undefined) elsewhere.add(spec.group ?? '');
  const nameOf = (group: string, resource: string): string => (group === '' ? resource : `${resource}.${group}`);
  const known = new Set(kinds.map(({ group, resource }) => nameOf(group, resource)));
  const omitted = new Set<string>();
  for (const { group, description } of await servedResources(read, dialect)) {
    const { resource, verbs } = description;
    const isStored = Array.isArray(verbs) && verbs.includes('create') && verbs.includes('list');
    if (typeof resource !== 'string' || !isStored || elsewhere.has(group)) continue;
    const name = nameOf(group, resource);
    if (!known.has(name)) omitted.add(name);
  }
  return [...omitted];
}
