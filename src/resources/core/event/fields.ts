import type { StoredObject } from '../../../meta/object.js';
import type { EventFields } from './schema.js';

const reference = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** Returns the selectable fields of events. The reference and the controller have different names in each group. */
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
