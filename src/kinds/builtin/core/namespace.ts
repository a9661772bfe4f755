import {
  FieldErrorList,
  invalid,
  namespaceName,
  qualifiedName,
  type ApiObject,
  type Dialect,
  type FieldError,
} from '../../../foundation/index.js';
import type { NamedObject, Strategy, SubresourceStrategy } from '../../../registry/index.js';
import type { coreV1 } from '../../types/index.js';
import type { StoredKind } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';
import { isNew } from '../shared/is-new.js';
import { nameErrors } from '../shared/validate.js';

type NamespaceObject = StoredKind<coreV1.Namespace>;

const ACTIVE = 'Active';
const TERMINATING = 'Terminating';

/**
 * Marks a namespace as terminating: sets the deletion timestamp, if it is missing, and the phase. Its content and the
 * entries of `spec.finalizers` are removed afterwards; the object remains until {@link isNamespaceFinalized}.
 *
 * @param namespace changed in place
 * @param nowText RFC 3339, second precision
 */
export function beginNamespaceDeletion(namespace: NamespaceObject, nowText: string): void {
  namespace.metadata.deletionTimestamp ??= nowText;
  namespace.status = { ...namespace.status, phase: TERMINATING };
}

/** Returns true when `spec.finalizers` is empty. The registry handles `metadata.finalizers`. */
export function isNamespaceFinalized({ spec }: NamedObject & Pick<coreV1.Namespace, 'spec'>): boolean {
  return (spec?.finalizers ?? []).length === 0;
}

/** Sets the label with the namespace's name, and overwrites the client's value. */
function labelWithName(object: Pick<ApiObject, 'metadata'>, { dialect }: { readonly dialect: Dialect }): void {
  const { name } = object.metadata;
  if (name) object.metadata.labels = { ...object.metadata.labels, [dialect.namespaceNameLabel]: name };
}

function finalizerErrors(errors: FieldError[], path: string, finalizer: string, dialect: Dialect): void {
  nameErrors(errors, path, finalizer, qualifiedName(finalizer));
  if (!finalizer.includes('/') && !dialect.standardFinalizers.includes(finalizer)) {
    errors.push(invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
}

const strategy: Strategy<NamespaceObject> = {
  nameRule: namespaceName,
  countsGeneration: false,
  finalization: {
    begin: (object) => beginNamespaceDeletion(object, object.metadata.deletionTimestamp ?? ''),
    isFinalized: isNamespaceFinalized,
  },
  defaults(namespace, context) {
    labelWithName(namespace, context);
    namespace.spec ??= {};
    namespace.status = { ...namespace.status, phase: namespace.status?.phase || ACTIVE };
  },
  prepareForCreate(namespace, { dialect }) {
    const finalizers = namespace.spec?.finalizers ?? [];
    // Added on creation only: the deletion removes it.
    if (!finalizers.includes(dialect.product))
      namespace.spec = { ...namespace.spec, finalizers: [...finalizers, dialect.product] };
    namespace.status = { phase: ACTIVE };
  },
  prepareForUpdate(namespace, { spec, status }) {
    namespace.spec = spec;
    namespace.status = status;
  },
  *validate(object, { dialect, work }) {
    const errors = new FieldErrorList(work);
    // Finalizers change through the subresource, whose errors have other paths.
    if (!isNew(object)) return errors;
    for (const finalizer of object.spec?.finalizers ?? []) {
      if (errors.spend()) yield;
      finalizerErrors(errors, 'spec.finalizers', finalizer, dialect);
    }
    return errors;
  },
  // With generateName the name is known only now.
  canonicalize: labelWithName,
};

const statusStrategy: SubresourceStrategy<NamespaceObject> = {
  prepareForUpdate(object, { spec }) {
    object.spec = spec;
  },
  validateUpdate({ metadata, status }) {
    const phase = status?.phase ?? '';
    const deleted = metadata.deletionTimestamp !== undefined;
    const expected = deleted ? TERMINATING : ACTIVE;
    const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${deleted ? 'not empty' : 'empty'}`;
    // Kubernetes writes this capital letter.
    return phase === expected ? [] : [invalid('status.Phase', phase, detail)];
  },
};

const finalizeStrategy: SubresourceStrategy<NamespaceObject> = {
  prepareForUpdate(object, { status }) {
    object.status = status;
  },
  *validateUpdate({ spec }, _old, { dialect, work }) {
    const errors = new FieldErrorList(work);
    for (const [index, finalizer] of (spec?.finalizers ?? []).entries()) {
      if (errors.spend()) yield;
      finalizerErrors(errors, `spec.finalizers[${index}]`, finalizer, dialect);
    }
    return errors;
  },
};

/** A scope for names: deleting a namespace deletes all objects in it. */
export const Namespace = builtinKind<coreV1.Namespace>('core.v1.Namespace', {
  behaviour: {
    strategy,
    subresources: { status: statusStrategy, finalize: finalizeStrategy },
    cells: { Status: ({ status }) => status?.phase ?? '' },
  },
});

/** An object of the kind {@link Namespace}. */
export type Namespace = coreV1.Namespace;
