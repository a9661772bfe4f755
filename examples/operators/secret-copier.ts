/** A controller that copies the Secrets of the namespace `shared` to each namespace with the label `copy=yes`. */
import { createController, intent, view, watched } from 'orch-apiserver/controllers';
import { Namespace, Secret } from 'orch-apiserver/kinds';

const Shared = view(Secret, { namespace: 'shared' });
const Copies = view(Secret, { labelSelector: 'copied=yes' });

export const secretCopier = createController({
  name: 'secret-copier',
  kind: Namespace,
  owns: [Copies],
  watches: [watched(Shared, { map: (_secret, cached) => cached(Namespace).keys() })],
  async reconcile({ metadata: { name: namespace = '', labels } }, { applyExactly, cached }) {
    const wanted = labels?.['copy'] === 'yes' ? [...cached(Shared).values()] : [];
    await applyExactly(
      wanted.map(({ metadata: { name = '' }, data, type }) =>
        intent(Secret, { metadata: { name, namespace, labels: { copied: 'yes' } }, data, type }),
      ),
    );
  },
});
