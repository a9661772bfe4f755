import type { StoredObject } from '../../../meta/object.js';
import type { EventFields } from './schema.js';

const reference = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** Field selectors of events: the parts of the reference under the name that the version gives it, and a few of the others. */
export function eventSelectors(
  view: (object: StoredObject) => EventFields,
  referenceField: string,
  controllerField: string,
) {
  const selectors: Record<string, (object: StoredObject) => string> = {};
  for (const part of reference)
    selectors[`${referenceField}.${part}`] = (object) => view(object).involvedObject[part] ?? '';
  selectors['reason'] = (object) => view(object).reason ?? '';
  selectors[controllerField] = (object) => view(object).reportingComponent ?? '';
  selectors['source'] = (object) => view(object).source?.component || view(object).reportingComponent || '';
  selectors['type'] = (object) => view(object).type ?? '';
  return selectors;
}
