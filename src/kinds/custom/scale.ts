import {
  checkOptions,
  definedOnly,
  errors,
  isJsonObject,
  matching,
  ownMember,
  setOwnMember,
  type JsonValue,
  type MutableJsonObject,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import type { NamedObject, ViewSubresource } from '../../registry/index.js';
import { Scale } from '../builtin/autoscaling/scale.js';
import type { CustomScale } from './source.js';
import { valueAt } from './value-at.js';

/** Checks a path of field names below one of several fields. */
const below = (...parents: readonly string[]): OptionCheck =>
  matching(
    `a path of field names below ${parents.join(' or ')}, such as ${parents[0]}.replicas`,
    (value) => typeof value === 'string' && parents.some((parent) => value.startsWith(`${parent}.`)),
  );

const pathChecks: OptionChecks<CustomScale> = {
  specReplicasPath: below('.spec'),
  statusReplicasPath: below('.status'),
  labelSelectorPath: (value, path) => (value === '' ? undefined : below('.spec', '.status')(value, path)),
};

/**
 * Returns the `scale` subresource of a kind: a Scale (`autoscaling/v1`) of the fields at its paths.
 *
 * ```
 * subresources: { scale: scaleSubresource({ specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }) }
 * ```
 *
 * @param scale paths of field names: the wanted replicas below `.spec`, the current ones below `.status`, and the
 *   label selector, as a string, below either
 * @throws TypeError that names the invalid path
 */
export function scaleSubresource(scale: CustomScale): ViewSubresource {
  checkOptions('scaleSubresource', scale, pathChecks, ['specReplicasPath', 'statusReplicasPath']);
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  return {
    verbs: ['get', 'patch', 'update'],
    view: Scale,
    show(object: NamedObject, forWrite) {
      const replicas = valueAt(object, specReplicasPath);
      if (replicas === undefined && !forWrite)
        throw errors.internal(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
      const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
      const selector = labelSelectorPath === '' ? undefined : valueAt(object, labelSelectorPath);
      return {
        metadata: definedOnly({ name, namespace, uid, resourceVersion, creationTimestamp }),
        spec: numberOf(replicas) === 0 ? {} : { replicas: numberOf(replicas) },
        status: {
          replicas: numberOf(valueAt(object, statusReplicasPath)),
          ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
        },
      };
    },
    write(object: NamedObject, view: NamedObject & { spec?: { replicas?: number | undefined } | undefined }) {
      setAt(object as MutableJsonObject, specReplicasPath, view.spec?.replicas ?? 0);
    },
  };
}

const numberOf = (value: JsonValue | undefined): number => (typeof value === 'number' ? value : 0);

/** Sets the value at a path of field names, and creates missing objects on the way. */
function setAt(object: MutableJsonObject, path: string, value: number): void {
  const names = path.replace(/^\./, '').split('.');
  let parent = object;
  for (const name of names.slice(0, -1)) {
    const next = ownMember(parent, name);
    const child: MutableJsonObject = isJsonObject(next) ? next : {};
    setOwnMember(parent, name, child);
    parent = child;
  }
  setOwnMember(parent, names.at(-1) ?? '', value);
}
