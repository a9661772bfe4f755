import {
  ApiError,
  appendAll,
  errors,
  messageOf,
  parsedJson,
  type Dialect,
  type JsonValue,
  type StoredObject,
} from '../../../foundation/index.js';
import { Pod, qosClass } from '../../../kinds/index.js';
import { list, readAs, structNode } from '../../../machinery/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin } from '../../../registry/index.js';
import type { NamespaceLookup } from '../../namespace-lifecycle.js';
import type { TolerationRestrictionOptions } from './toleration-options.js';
import { tolerationSchema } from './toleration-schema.js';
import { areAllowed, mergedTolerations, type DraftToleration } from './tolerations.js';

const NAMESPACES = { group: '', resource: 'namespaces' };

const annotated = structNode('Tolerations', { tolerations: list(tolerationSchema, 'always') });

/**
 * Gives pods the default tolerations of their namespace, and refuses tolerations that the namespace does not allow. What
 * a namespace does not state, the options do.
 *
 * @see release 1.31, `plugin/pkg/admission/podtolerationrestriction`
 */
export function podTolerationRestriction(
  { labelDomain }: Dialect,
  lookup: NamespaceLookup,
  { default: defaults = [], whitelist = [] }: TolerationRestrictionOptions = {},
): AdmissionPlugin {
  const prefix = `scheduler.alpha.${labelDomain}`;
  const memoryPressure = { key: `node.${labelDomain}/memory-pressure`, operator: 'Exists', effect: 'NoSchedule' };
  const namespaceOf = async (name: string): Promise<StoredObject> => {
    const found = await lookup(name);
    if (found === undefined) throw errors.notFound(NAMESPACES, name);
    return found;
  };
  const requireAllowed = (namespace: StoredObject, tolerations: readonly DraftToleration[] = []): void => {
    if (tolerations.length === 0) return;
    const own = tolerationsIn(namespace, `${prefix}/tolerationsWhitelist`);
    const allowed = own ?? whitelist;
    if (allowed.length === 0 || areAllowed(tolerations, allowed)) return;
    const scope = own === undefined ? 'cluster' : 'namespace';
    throw refusal(
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
    );
  };
  return defineAdmissionPlugin({
    name: 'PodTolerationRestriction',
    kinds: [Pod],
    operations: ['CREATE', 'UPDATE'],
    async mutate({ object, operation, namespace, subresource }) {
      if (subresource !== '') return;
      const found = await namespaceOf(namespace);
      const spec = (object.spec ??= {});
      const added: DraftToleration[] = [];
      if (operation === 'CREATE') appendAll(added, tolerationsIn(found, `${prefix}/defaultTolerations`) ?? defaults);
      if (qosClass(spec) !== 'BestEffort') added.push(memoryPressure);
      if (added.length > 0) spec.tolerations = mergedTolerations(spec.tolerations ?? [], added);
      requireAllowed(found, spec.tolerations);
    },
    async validate({ object, namespace, subresource }) {
      if (subresource !== '') return;
      requireAllowed(await namespaceOf(namespace), object.spec?.tolerations);
    },
  });
}

/** Kubernetes gives these refusals no reason. */
const refusal = (message: string): ApiError => new ApiError({ message, code: 500 });

/**
 * Returns the tolerations in an annotation; undefined without the annotation, and none when it is empty.
 *
 * @throws ApiError 500 when it is not a list of tolerations
 */
function tolerationsIn({ metadata }: StoredObject, key: string): readonly DraftToleration[] | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined || text === '') return text === undefined ? undefined : [];
  const tolerations: JsonValue | undefined = parsedJson(text);
  if (tolerations === undefined) throw refusal(`annotation ${key} of the namespace is not JSON`);
  if (tolerations === null) return [];
  try {
    return readAs<{ readonly tolerations: readonly DraftToleration[] }>({ tolerations }, annotated, {
      origin: 'builtin',
    }).object.tolerations;
  } catch (error) {
    throw refusal(messageOf(error));
  }
}
