import type { Client } from '../../client/index.js';
import type { Clock, Dialect } from '../../foundation/index.js';
import { ConfigMap } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason, isNamespaceTerminating, retryOnConflict } from '../runtime/failures.js';
import { Informer } from '../runtime/informer.js';
import { isActive, namespacesInformer } from '../runtime/namespaces-informer.js';
import { WorkQueue } from '../runtime/work-queue.js';

const DATA_KEY = 'ca.crt';

/** Options of {@link rootCaPublisher}. */
export interface RootCaPublisherOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Returns the certificate authority as PEM; called at each use. Undefined while there is none. */
  readonly certificateAuthority: () => string | undefined;
  readonly onError: (error: unknown) => void;
}

/** Maintains a ConfigMap with the server's certificate authority in every active namespace. */
export function rootCaPublisher({
  client,
  clock,
  dialect,
  certificateAuthority,
  onError,
}: RootCaPublisherOptions): Controller {
  const name = dialect.rootCaConfigMap;
  const description = descriptionOf(dialect);
  const maps = new Informer({
    source: client.resource(ConfigMap),
    clock,
    fieldSelector: `metadata.name=${name}`,
    onError,
  });
  const queue = new WorkQueue<string>({
    name: 'root_ca_cert_publisher',
    clock,
    process: publish,
    onError: (_name, error) => onError(error),
  });
  const namespaces = namespacesInformer(client, clock, (namespace) => void queue.add(namespace), onError);
  const enqueue = ({ metadata }: ObjectOf<typeof ConfigMap>): void => void queue.add(metadata.namespace ?? '');
  maps.subscribe({ updated: enqueue, deleted: enqueue });

  function isCurrent(map: ObjectOf<typeof ConfigMap>, pem: string): boolean {
    const { data = {} } = map;
    return (
      data[DATA_KEY] === pem &&
      Object.keys(data).length === 1 &&
      (map.metadata.annotations?.[dialect.descriptionAnnotation] ?? '') !== ''
    );
  }

  async function publish(namespace: string): Promise<void> {
    const pem = certificateAuthority();
    if (pem === undefined || !isActive(namespaces, namespace)) return;
    const known = maps.get(`${namespace}/${name}`);
    if (known === undefined) await create(namespace, pem);
    else if (!isCurrent(known, pem)) await repair(namespace, pem);
  }

  async function create(namespace: string, pem: string): Promise<void> {
    const annotations = { [dialect.descriptionAnnotation]: description };
    try {
      await client
        .resource(ConfigMap)
        .namespace(namespace)
        .create({ metadata: { name, namespace, annotations }, data: { [DATA_KEY]: pem } });
    } catch (error) {
      if (!isNamespaceTerminating(error) && !hasReason(error, 'AlreadyExists')) throw error;
    }
  }

  function repair(namespace: string, pem: string): Promise<void> {
    const inNamespace = client.resource(ConfigMap).namespace(namespace);
    return retryOnConflict(async () => {
      try {
        const map = await inNamespace.get(name);
        if (isCurrent(map, pem)) return;
        map.metadata.annotations = { ...map.metadata.annotations, [dialect.descriptionAnnotation]: description };
        await inNamespace.update({ ...map, data: { [DATA_KEY]: pem } });
      } catch (error) {
        // The ConfigMap was deleted meanwhile: that event enqueues the namespace again.
        if (!hasReason(error, 'NotFound')) throw error;
      }
    });
  }

  let published = certificateAuthority();
  return {
    name: 'root-ca-cert-publisher',
    informers: () => [namespaces, maps],
    queues: [queue],
    recheck() {
      const pem = certificateAuthority();
      if (pem === published) return 0;
      published = pem;
      let added = 0;
      for (const { metadata } of namespaces.values()) if (queue.add(metadata.name ?? '')) added += 1;
      return added;
    },
  };
}

function descriptionOf({ apiServerName, product, openApi }: Dialect): string {
  return (
    `Contains a CA bundle that can be used to verify the ${apiServerName} when using internal endpoints such as the internal service IP or ` +
    `${product}.default.svc. No other usage is guaranteed across distributions of ${openApi.title} clusters.`
  );
}
