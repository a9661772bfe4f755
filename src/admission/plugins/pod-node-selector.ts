import type { Dialect } from '../../foundation/index.js';
import { Pod } from '../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin } from '../../registry/index.js';
import type { NamespaceLookup } from '../namespace-lifecycle.js';
import { admissionRefusal } from '../refusal.js';
import { readNodeSelector, type Labels } from './node-selector.js';

/** The selectors of nodes that the pods of namespaces use. */
export interface PodNodeSelectorOptions {
  /** Selector of namespaces that have none of their own: `env=test,region=west`. Default none. */
  readonly clusterDefault?: string | undefined;
  /** Labels that the pods of a namespace may select, by namespace. A namespace that is not named may select all. */
  readonly allowed?: Readonly<Record<string, string>> | undefined;
}

const conflicts = (a: Labels, b: Readonly<Record<string, string | undefined>>): boolean =>
  Object.entries(a).some(([key, value]) => b[key] !== undefined && b[key] !== value);

const isPart = (part: Labels, whole: Labels): boolean =>
  Object.keys(whole).length === 0 || Object.entries(part).every(([key, value]) => whole[key] === value);

/** Lets the pods of a namespace run on the nodes that an annotation of the namespace selects. */
export function podNodeSelector(
  { labelDomain }: Dialect,
  lookup: NamespaceLookup,
  { clusterDefault = '', allowed = {} }: PodNodeSelectorOptions = {},
): AdmissionPlugin {
  const annotation = `scheduler.alpha.${labelDomain}/node-selector`;
  const selectorOf = async (attributes: Parameters<typeof admissionRefusal>[0], namespace: string): Promise<Labels> => {
    const text = (await lookup(namespace))?.metadata.annotations?.[annotation] ?? clusterDefault;
    const labels = readNodeSelector(text);
    if (labels === undefined) throw admissionRefusal(attributes, `invalid selector: [${text}]`);
    return labels;
  };
  return defineAdmissionPlugin({
    name: 'PodNodeSelector',
    kinds: [Pod],
    operations: ['CREATE'],
    async mutate(attributes) {
      const { object, namespace, subresource } = attributes;
      if (subresource !== '') return;
      const selector = await selectorOf(attributes, namespace);
      const spec = (object.spec ??= {});
      if (conflicts(selector, spec.nodeSelector ?? {}))
        throw admissionRefusal(attributes, 'pod node label selector conflicts with its namespace node label selector');
      const merged = { ...selector, ...spec.nodeSelector };
      if (Object.keys(merged).length > 0) spec.nodeSelector = merged;
    },
    async validate(attributes) {
      const { object, namespace, subresource } = attributes;
      if (subresource !== '') return;
      const selected = object.spec?.nodeSelector ?? {};
      if (conflicts(await selectorOf(attributes, namespace), selected))
        throw admissionRefusal(attributes, 'pod node label selector conflicts with its namespace node label selector');
      if (!isPart(selected, readNodeSelector(allowed[namespace] ?? '') ?? {}))
        throw admissionRefusal(attributes, 'pod node label selector labels conflict with its namespace whitelist');
    },
  });
}
