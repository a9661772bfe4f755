import * as z from 'zod';
import { invalid, type FieldError } from '../../meta/field-error.js';
import { namespaceName, qualifiedName } from '../../meta/names.js';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy, SubresourceStrategy } from '../../registry/strategy.js';
import {
  always,
  alwaysStruct,
  atomicList,
  enumOf,
  goNamed,
  mapList,
  omitted,
  struct,
  time,
} from '../../schema/vocabulary.js';
import { ageColumn, nameColumn, textColumn } from '../shared/columns.js';
import { unsetIsNull } from '../shared/facts.js';
import { isNew } from '../shared/is-new.js';
import { once } from '../shared/once.js';
import { nameErrors } from '../shared/validate.js';

const condition = once(() =>
  struct('NamespaceCondition', {
    type: always(1, goNamed('v1.NamespaceConditionType', z.string()), { description: 'Type of the condition.' }),
    status: always(2, goNamed('v1.ConditionStatus', z.string()), { description: 'True, False or Unknown.' }),
    lastTransitionTime: unsetIsNull(4, time(), { description: 'Time when the status last changed.' }),
    reason: omitted(5, z.string(), { description: 'Reason as a CamelCase word.' }),
    message: omitted(6, z.string(), { description: 'Human-readable message.' }),
  }),
);

const namespaceSchema = once(() =>
  struct('Namespace', {
    spec: alwaysStruct(
      2,
      struct('NamespaceSpec', {
        finalizers: omitted(1, atomicList(goNamed('v1.FinalizerName', z.string())), {
          description:
            'Finalizers that must be removed before the namespace is deleted. Changed through the finalize subresource only.',
        }),
      }),
    ),
    status: alwaysStruct(
      3,
      struct('NamespaceStatus', {
        phase: omitted(1, goNamed('v1.NamespacePhase', enumOf('Active', 'Terminating')), {
          description: 'Active, or Terminating once the namespace was deleted.',
        }),
        conditions: omitted(2, mapList(condition(), ['type']), {
          description: 'Conditions that block the deletion of a terminating namespace.',
        }),
      }),
    ),
  }),
);

type NamespaceFields = z.output<ReturnType<typeof namespaceSchema>>;
type NamespaceObject = ApiObject & NamespaceFields;
type StoredNamespace = StoredObject & NamespaceFields;

const ACTIVE = 'Active';
const TERMINATING = 'Terminating';

const phaseOf = (object: StoredObject): string => (object as StoredNamespace).status?.phase ?? '';

/**
 * Marks a namespace as terminating: sets the deletion timestamp, if it is missing, and the phase. Its content and the
 * entries of `spec.finalizers` are removed afterwards; the object remains until {@link isNamespaceFinalized}.
 *
 * @param object changed in place
 * @param nowText RFC 3339, second precision
 */
export function beginNamespaceDeletion(object: ApiObject, nowText: string): void {
  const namespace = object as NamespaceObject;
  namespace.metadata.deletionTimestamp ??= nowText;
  namespace.status = { ...namespace.status, phase: TERMINATING };
}

/** Returns true when `spec.finalizers` is empty. The registry handles `metadata.finalizers`. */
export function isNamespaceFinalized(object: StoredObject): boolean {
  return ((object as StoredNamespace).spec?.finalizers ?? []).length === 0;
}

/** Sets the label with the namespace's name, and overwrites the client's value. */
function labelWithName(object: ApiObject, { dialect }: { readonly dialect: Dialect }): void {
  const { name } = object.metadata;
  if (name) object.metadata.labels = { ...object.metadata.labels, [dialect.namespaceNameLabel]: name };
}

function finalizerErrors(errors: FieldError[], path: string, finalizer: string, dialect: Dialect): void {
  nameErrors(errors, path, finalizer, qualifiedName(finalizer));
  if (!finalizer.includes('/') && !dialect.standardFinalizers.includes(finalizer)) {
    errors.push(invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
}

const strategy: Strategy = {
  nameRule: namespaceName,
  countsGeneration: false,
  finalization: {
    begin: (object) => beginNamespaceDeletion(object, object.metadata.deletionTimestamp ?? ''),
    isFinalized: isNamespaceFinalized,
  },
  defaults(object, context) {
    labelWithName(object, context);
    const namespace = object as NamespaceObject;
    namespace.spec ??= {};
    namespace.status = { ...namespace.status, phase: namespace.status?.phase || ACTIVE };
  },
  prepareForCreate(object, { dialect }) {
    const namespace = object as NamespaceObject;
    const finalizers = namespace.spec?.finalizers ?? [];
    // Added on creation only: the deletion removes it.
    if (!finalizers.includes(dialect.product))
      namespace.spec = { ...namespace.spec, finalizers: [...finalizers, dialect.product] };
    namespace.status = { phase: ACTIVE };
  },
  prepareForUpdate(object, old) {
    const previous = old as StoredNamespace;
    const namespace = object as NamespaceObject;
    namespace.spec = previous.spec;
    namespace.status = previous.status;
  },
  validate(object, { dialect }) {
    const errors: FieldError[] = [];
    // Finalizers change through the subresource, whose errors have other paths.
    if (!isNew(object)) return errors;
    for (const finalizer of (object as StoredNamespace).spec?.finalizers ?? [])
      finalizerErrors(errors, 'spec.finalizers', finalizer, dialect);
    return errors;
  },
  // With generateName the name is known only now.
  canonicalize: labelWithName,
};

const statusStrategy: SubresourceStrategy = {
  prepareForUpdate(object, old) {
    (object as NamespaceObject).spec = (old as StoredNamespace).spec;
  },
  validateUpdate(object) {
    const phase = phaseOf(object);
    const deleted = object.metadata.deletionTimestamp !== undefined;
    const expected = deleted ? TERMINATING : ACTIVE;
    const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${deleted ? 'not empty' : 'empty'}`;
    // Kubernetes writes this capital letter.
    return phase === expected ? [] : [invalid('status.Phase', phase, detail)];
  },
};

const finalizeStrategy: SubresourceStrategy = {
  prepareForUpdate(object, old) {
    (object as NamespaceObject).status = (old as StoredNamespace).status;
  },
  validateUpdate(object, _old, { dialect }) {
    const errors: FieldError[] = [];
    const finalizers = (object as StoredNamespace).spec?.finalizers ?? [];
    for (const [index, finalizer] of finalizers.entries())
      finalizerErrors(errors, `spec.finalizers[${index}]`, finalizer, dialect);
    return errors;
  },
};

/** A scope for names: deleting a namespace deletes all objects in it. */
export const Namespace = defineResource({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.0' },
  description: 'A scope for names. Deleting a namespace deletes all objects in it.',
  schema: namespaceSchema,
  strategy,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: {
    status: { verbs: ['get', 'update', 'patch'], strategy: statusStrategy },
    finalize: { verbs: ['update'], strategy: finalizeStrategy },
  },
  selectableFields: { 'status.phase': phaseOf },
  columns: [nameColumn, textColumn('Status', 'Active or Terminating.', phaseOf), ageColumn],
});
