import {
  dnsSubdomainErrors,
  invalid,
  namespaceName,
  required,
  VerbatimValue,
  type Dialect,
  type FieldError,
} from '../../../../foundation/index.js';
import type { Unvalidated } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';
import { nameErrors } from '../../shared/validate.js';

type Spec = coreV1.PersistentVolumeClaimSpec;
type UnvalidatedSpec = NonNullable<Unvalidated<StoredKind<coreV1.PersistentVolumeClaim>>['spec']>;
type Source = NonNullable<UnvalidatedSpec['dataSource']>;

const CLAIM = 'PersistentVolumeClaim';

const hasSource = (spec: Spec | undefined): boolean =>
  spec?.dataSource !== undefined || spec?.dataSourceRef !== undefined;

/** Returns whether the field `dataSource` may name the source: a claim or a snapshot. */
function isClaimOrSnapshot({ apiGroup, kind }: Source, { groupSuffix }: Dialect): boolean {
  return !apiGroup ? kind === CLAIM : kind === 'VolumeSnapshot' && apiGroup === `snapshot.storage.${groupSuffix}`;
}

/**
 * Drops a `dataSource` of another kind than clients could always name there, as servers did before `dataSourceRef`
 * existed (KEP-1495).
 */
export function dropUnknownSource(spec: UnvalidatedSpec, old: Spec | undefined, dialect: Dialect): void {
  if (hasSource(old) || spec.dataSourceRef !== undefined || spec.dataSource === undefined) return;
  if (!isClaimOrSnapshot(spec.dataSource, dialect)) delete spec.dataSource;
}

/** Drops a reference to another namespace while that feature is disabled, unless the old claim has a reference. */
export function dropForeignSource(spec: UnvalidatedSpec, old: Spec | undefined, enabled: boolean): void {
  if (!enabled && spec.dataSourceRef?.namespace && old?.dataSourceRef === undefined) delete spec.dataSourceRef;
}

/** Copies the data source of a new claim into whichever of the two fields is absent. */
export function completeSources(spec: UnvalidatedSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef !== undefined && dataSource === undefined && !dataSourceRef.namespace) {
    const { namespace: _namespace, ...source } = dataSourceRef;
    spec.dataSource = source;
  }
}

/** Adds the errors of the two fields of a data source. */
export function validateSources(errors: FieldError[], path: string, spec: Spec, allowInvalidGroup: boolean): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) validateSource(errors, `${path}.dataSource`, dataSource, allowInvalidGroup);
  if (dataSourceRef !== undefined) {
    const at = `${path}.dataSourceRef`;
    validateSource(errors, at, dataSourceRef, allowInvalidGroup);
    const { namespace = '' } = dataSourceRef;
    if (namespace !== '') nameErrors(errors, `${at}.namespace`, namespace, namespaceName(namespace, false));
  }
  if (dataSource === undefined || dataSourceRef === undefined) return;
  // Kubernetes shows a Go value with addresses here.
  const shown = new VerbatimValue(`${path}.dataSource`);
  if (dataSourceRef.namespace)
    errors.push(invalid(path, shown, 'may not be specified when dataSourceRef.namespace is specified'));
  else if (!isSame(dataSource, dataSourceRef)) errors.push(invalid(path, shown, 'must match dataSourceRef'));
}

type Named = Pick<coreV1.TypedLocalObjectReference, 'apiGroup' | 'kind' | 'name'>;

const isSame = (a: Named, b: Named): boolean =>
  (a.apiGroup ?? null) === (b.apiGroup ?? null) && a.kind === b.kind && a.name === b.name;

function validateSource(
  errors: FieldError[],
  path: string,
  { apiGroup: given, kind, name }: Named,
  allowInvalidGroup: boolean,
): void {
  const apiGroup = given ?? '';
  if (name === '') errors.push(required(`${path}.name`));
  if (kind === '') errors.push(required(`${path}.kind`));
  if (apiGroup === '' && kind !== CLAIM)
    errors.push(invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  if (apiGroup !== '' && !allowInvalidGroup)
    nameErrors(errors, `${path}.apiGroup`, apiGroup, dnsSubdomainErrors(apiGroup));
}
