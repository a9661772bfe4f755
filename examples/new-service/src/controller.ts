import { condition, createController } from 'orch-apiserver/controllers';
import { ConfigMap } from 'orch-apiserver/kinds';
import { Site } from './site.js';

/**
 * Writes the page of each Site to a ConfigMap. `reconcile` runs whenever the Site or its ConfigMap changes, and again after
 * a failure, so it may always start from the beginning.
 */
export const sites = createController({
  kind: Site,
  owns: [ConfigMap],
  async reconcile({ metadata: { name = '' }, spec }, { apply, setStatus }) {
    const page = await apply(ConfigMap, {
      metadata: { name: `${name}-page` },
      data: { host: spec.host, title: spec.title },
    });
    await setStatus({ page: page.metadata.name }, condition('Ready', true, 'PageWritten'));
  },
});
