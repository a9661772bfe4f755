import { ApiError } from './meta/api-error.js';
import type { UserInfo } from './meta/object.js';
import { Namespace } from './resources/index.js';
import type { GenericServer } from './server/generic-server.js';

/** Makes the namespaces that every server has, where they are not there yet. */
export async function ensureSystemNamespaces(server: GenericServer, user: UserInfo): Promise<void> {
  const operations = server.operationsOf(Namespace);
  const context = server.context(user, server.dialect.apiServerName, () => undefined);
  for (const name of Object.values({ ...server.dialect.namespaces })) {
    const { record } = await server.storage.get(operations.store.info.key('', name));
    if (record !== undefined) continue;
    const { object } = operations.read({ metadata: { name } }, context);
    try {
      await operations.create(context, '', object);
    } catch (error) {
      // Another server on the same storage was faster.
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error;
    }
  }
}
