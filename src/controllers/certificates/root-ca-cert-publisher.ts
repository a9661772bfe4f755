import type { Client } from '../../client/index.js';
import type { Dialect } from '../../foundation/index.js';
import { ConfigMap, Namespace } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { isActive } from '../runtime/active-namespaces.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason, isNamespaceTerminating, orAbsent, retryOnConflict } from '../runtime/failures.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { reconciler } from '../runtime/reconciler.js';
import { view } from '../runtime/sources.js';
import { watched } from '../runtime/watch.js';

const DATA_KEY = 'ca.crt';

type AuthorityMap = ObjectOf<typeof ConfigMap>;

/** Options of {@link rootCaPublisher}. */
export interface RootCaPublisherOptions extends ReconcilerHost {
  readonly client: Client;
  readonly dialect: Dialect;
  /** Returns the certificate authority as PEM; called at each use. Undefined while there is none. */
  readonly certificateAuthority: () => string | undefined;
}

/** Maintains a ConfigMap with the server's certificate authority in every active namespace. */
export function rootCaPublisher(options: RootCaPublisherOptions): Controller {
  const { client, dialect, certificateAuthority, informers } = options;
  const name = dialect.rootCaConfigMap;
  const published = view(ConfigMap, { fieldSelector: `metadata.name=${name}` });
  const maps = informers.of(published);
  const namespaces = informers.of(Namespace);
  const namespaceOf = ({ metadata }: AuthorityMap): string[] => [metadata.namespace ?? ''];
  let publishedPem = certificateAuthority();
  return reconciler(options, {
    name: 'root-ca-cert-publisher',
    queue: 'root_ca_cert_publisher',
    kind: Namespace,
    watches: [watched(published, { changes: { updated: namespaceOf, deleted: namespaceOf } })],
    recheck() {
      const pem = certificateAuthority();
      if (pem === publishedPem) return [];
      publishedPem = pem;
      return Array.from(namespaces.values(), ({ metadata }) => metadata.name ?? '');
    },
    async reconcile(namespace, { key }) {
      const pem = certificateAuthority();
      if (pem === undefined || !isActive(namespace)) return;
      const known = maps.get(`${key}/${name}`);
      if (known === undefined) await create(client, dialect, key, pem);
      else if (!isCurrent(known, dialect, pem)) await repair(client, dialect, key, pem);
    },
  });
}

function isCurrent({ data = {}, metadata }: AuthorityMap, dialect: Dialect, pem: string): boolean {
  return (
    data[DATA_KEY] === pem &&
    Object.keys(data).length === 1 &&
    (metadata.annotations?.[dialect.descriptionAnnotation] ?? '') !== ''
  );
}

async function create(client: Client, dialect: Dialect, namespace: string, pem: string): Promise<void> {
  const annotations = { [dialect.descriptionAnnotation]: descriptionOf(dialect) };
  try {
    await client
      .resource(ConfigMap)
      .namespace(namespace)
      .create({ metadata: { name: dialect.rootCaConfigMap, namespace, annotations }, data: { [DATA_KEY]: pem } });
  } catch (error) {
    if (!isNamespaceTerminating(error) && !hasReason(error, 'AlreadyExists')) throw error;
  }
}

function repair(client: Client, dialect: Dialect, namespace: string, pem: string): Promise<void> {
  const inNamespace = client.resource(ConfigMap).namespace(namespace);
  return retryOnConflict(async () => {
    const map = await orAbsent(inNamespace.get(dialect.rootCaConfigMap));
    // A ConfigMap that is deleted meanwhile has an event that runs the namespace again.
    if (map === undefined || isCurrent(map, dialect, pem)) return;
    map.metadata.annotations = {
      ...map.metadata.annotations,
      [dialect.descriptionAnnotation]: descriptionOf(dialect),
    };
    await orAbsent(inNamespace.update({ ...map, data: { [DATA_KEY]: pem } }));
  });
}

function descriptionOf({ apiServerName, product, openApi }: Dialect): string {
  return (
    `Contains a CA bundle that can be used to verify the ${apiServerName} when using internal endpoints such as the internal service IP or ` +
    `${product}.default.svc. No other usage is guaranteed across distributions of ${openApi.title} clusters.`
  );
}
