/** The program of secret-copier.ts with the informers of `@kubernetes/client-node`, as its own examples use them. */
import { CoreV1Api, makeInformer, type KubeConfig, type V1Namespace } from '@kubernetes/client-node';

/** Starts copying. @returns a function that ends it */
export async function copySecrets(kubeConfig: KubeConfig, report: (error: unknown) => void): Promise<() => void> {
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const namespaces = makeInformer(kubeConfig, '/api/v1/namespaces', () => core.listNamespace());
  const shared = makeInformer(kubeConfig, '/api/v1/namespaces/shared/secrets', () =>
    core.listNamespacedSecret({ namespace: 'shared' }),
  );
  const labelSelector = 'copied=yes';
  const copies = makeInformer(
    kubeConfig,
    '/api/v1/secrets',
    () => core.listSecretForAllNamespaces({ labelSelector }),
    labelSelector,
  );

  async function reconcile({ metadata }: V1Namespace): Promise<void> {
    const namespace = metadata?.name ?? '';
    const wanted = metadata?.labels?.['copy'] === 'yes' ? shared.list() : [];
    for (const { metadata: secret, data = {}, type = 'Opaque' } of wanted) {
      const name = secret?.name ?? '';
      const body = { metadata: { name, namespace, labels: { copied: 'yes' } }, data, type };
      if (copies.get(name, namespace) === undefined) await core.createNamespacedSecret({ namespace, body });
      else await core.replaceNamespacedSecret({ name, namespace, body });
    }
    for (const { metadata: copy } of copies.list(namespace)) {
      const name = copy?.name ?? '';
      if (!wanted.some(({ metadata: secret }) => secret?.name === name))
        await core.deleteNamespacedSecret({ name, namespace });
    }
  }

  const run = (namespace: V1Namespace): void => void reconcile(namespace).catch(report);
  const runAll = (): void => namespaces.list().forEach(run);
  namespaces.on('add', run);
  namespaces.on('update', run);
  shared.on('change', runAll);
  copies.on('delete', runAll);
  for (const informer of [copies, namespaces, shared]) {
    informer.on('error', report);
    await informer.start();
  }
  return () => [copies, namespaces, shared].forEach((informer) => void informer.stop());
}
