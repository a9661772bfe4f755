/**
 * The types of the variables that expressions of admission read (release 1.31, "Common Expression Language").
 *
 * @module
 */
import type { Dialect } from '../../../foundation/index.js';
import type { CelObjectType, CelType } from '../../../machinery/index.js';
import type { Expressions } from '../shared/expressions.js';

/** The types of the variables `request` and `namespaceObject`. */
export interface AdmissionTypes {
  readonly request: CelType;
  readonly namespaceObject: CelType;
}

/** Returns the types of the variables. Names of types contain the name of the product. */
export function admissionTypes({ cel }: Expressions, dialect: Dialect): AdmissionTypes {
  const named = (name: string, fields: Readonly<Record<string, CelType>>): CelObjectType =>
    cel.objectType(`${dialect.product}.${name}`, fields);
  return { request: requestType(cel, named), namespaceObject: namespaceType(cel, named) };
}

type Named = (name: string, fields: Readonly<Record<string, CelType>>) => CelObjectType;

function requestType({ stringType, boolType, dynType, listType, mapType }: Expressions['cel'], named: Named): CelType {
  const strings = listType(stringType);
  const kind = named('GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
  const resource = named('GroupVersionResource', { group: stringType, version: stringType, resource: stringType });
  return named('AdmissionRequest', {
    kind,
    resource,
    subResource: stringType,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: named('UserInfo', {
      username: stringType,
      uid: stringType,
      groups: strings,
      extra: mapType(stringType, strings),
    }),
    dryRun: boolType,
    options: dynType,
  });
}

function namespaceType(
  { stringType, intType, timestampType, listType, mapType }: Expressions['cel'],
  named: Named,
): CelType {
  const texts = mapType(stringType, stringType);
  const strings = listType(stringType);
  const condition = named('NamespaceCondition', {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  });
  return named('Namespace', {
    metadata: named('NamespaceMetadata', {
      name: stringType,
      generateName: stringType,
      namespace: stringType,
      labels: texts,
      annotations: texts,
      UID: stringType,
      creationTimestamp: timestampType,
      deletionGracePeriodSeconds: intType,
      deletionTimestamp: timestampType,
      generation: intType,
      resourceVersion: stringType,
      finalizers: strings,
    }),
    spec: named('NamespaceSpec', { finalizers: strings }),
    status: named('NamespaceStatus', { conditions: listType(condition), phase: stringType }),
  });
}
