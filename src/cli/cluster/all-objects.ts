import type { Client, UntypedObject } from '../../client/index.js';
import { ApiError, type Dialect } from '../../foundation/index.js';
import { Namespace } from '../../kinds/index.js';
import { PAGE, storedKinds } from './known-resources.js';

const NOT_FOUND = 404;

/**
 * Returns the objects of the built-in kinds of a server and of its custom resource definitions, all from the same moment.
 *
 * @throws ApiError 403 for a kind that the user must not list; 410 when the server discards the state meanwhile
 */
export async function allObjects(client: Client, dialect: Dialect): Promise<UntypedObject[]> {
  const { metadata } = await client.resource(Namespace).list({ limit: 1 });
  const state = { resourceVersion: metadata.resourceVersion, resourceVersionMatch: 'Exact' } as const;
  // Events are served in two groups.
  const objects = new Map<string, UntypedObject>();
  for (const { apiVersion, kind } of await storedKinds(client, dialect)) {
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
  return [...objects.values()];
}
