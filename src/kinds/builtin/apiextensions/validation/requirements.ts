/**
 * The rules that apply to a definition. Some rules are newer than the objects that they check: an update is excused from
 * a rule that the old state already broke.
 *
 * @module
 */
import { equalJson, type JsonValue, type Steps } from '../../../../foundation/index.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../../machinery/index.js';
import { hasCondition } from '../conditions.js';
import { extensionsOf } from '../extensions.js';
import { schemaOfVersion, type HubDefinition, type HubSpec, type HubVersion } from '../hub.js';
import { schemaIn, someSchema } from '../subschemas.js';
import { acceptedReviewVersions, caBundleErrors } from './conversion.js';
import { hasUnprunedDefault } from './defaults.js';
import { mapKeyErrors } from './list-types.js';
import { openApiTypes } from './open-api-schema.js';
import { structuralErrors, type StructuralContext } from './structural.js';

/** The rules that apply. */
export interface Requirements {
  /** A webhook must accept a known version of ConversionReview. */
  readonly knownReviewVersion: boolean;
  /** The scope and the kind must not change. */
  readonly unchangedNames: boolean;
  /** Every version must have a schema. */
  readonly schema: boolean;
  /** Types must be those of OpenAPI. */
  readonly knownTypes: boolean;
  /** Schemas must be structural. */
  readonly structural: boolean;
  /** Defaults must not have unknown fields. */
  readonly prunedDefaults: boolean;
  /** Items of a set must be atomic. */
  readonly atomicSetItems: boolean;
  /** The keys of a map list must be required or have a default, and nothing of it may be nullable. */
  readonly mapKeys: boolean;
  /** The bundle of a webhook must have certificates. */
  readonly validCaBundle: boolean;
  /** Versions whose rules may be as expensive as they were. */
  readonly unchangedVersions: ReadonlySet<string>;
  /** Versions whose columns may exceed the bounds, since they did before. */
  readonly unchangedColumns: ReadonlySet<string>;
}

/** The rules for a new definition. */
export const allRequirements: Requirements = {
  knownReviewVersion: true,
  unchangedNames: false,
  schema: true,
  knownTypes: true,
  structural: true,
  prunedDefaults: true,
  atomicSetItems: true,
  mapKeys: true,
  // The kind is not served as long as the bundle is invalid.
  validCaBundle: false,
  unchangedVersions: new Set([]),
  unchangedColumns: new Set([]),
};

const ESTABLISHED = 'Established';

/** Returns the rules for an update. */
export function* requirementsOfUpdate(
  definition: HubDefinition,
  old: HubDefinition,
  context: StructuralContext,
): Steps<Requirements> {
  const { names, work } = context;
  const { spec } = old;
  const some = (condition: (part: JsonSchemaProps) => boolean): Steps<boolean> =>
    anySchema(spec, (schema) => someSchema(schema, condition, work));
  const isEstablished = hasCondition(old.status.conditions, ESTABLISHED, 'True');
  const reviews = spec.conversion?.conversionReviewVersions ?? [];
  const caBundle = spec.conversion?.webhookClientConfig?.caBundle ?? '';
  return {
    knownReviewVersion: reviews.length === 0 || reviews.some((version) => acceptedReviewVersions.includes(version)),
    unchangedNames: isEstablished,
    schema: hasAllSchemas(spec),
    knownTypes: !(yield* some(hasUnknownType)),
    // Without unknown fields every schema is structural.
    structural:
      !definition.spec.preserveUnknownFields || !(yield* anySchema(spec, (schema) => isNonStructural(schema, context))),
    prunedDefaults: !(yield* anySchema(spec, (schema) => keepsUnknownDefaults(spec, schema, context))),
    atomicSetItems: !(yield* some((part) => hasGranularItems(part, names))),
    mapKeys: !(yield* some((part) => mapKeyErrors(part, extensionsOf(part, names), '', names).length > 0)),
    validCaBundle: isEstablished && (caBundle === '' || caBundleErrors('', caBundle).length === 0),
    unchangedVersions: unchangedVersions(definition.spec, spec, schemaOfVersion),
    unchangedColumns: unchangedVersions(definition.spec, spec, columnsOfVersion),
  };
}

/** Returns whether a condition holds for the common schema or that of any version. */
export function* anySchema(
  { schema, versions }: HubSpec,
  condition: (schema: JsonSchemaProps) => Steps<boolean>,
): Steps<boolean> {
  for (const validation of [schema, ...versions.map((version) => version.schema)])
    if (validation?.openAPIV3Schema !== undefined && (yield* condition(validation.openAPIV3Schema))) return true;
  return false;
}

const hasAllSchemas = ({ schema, versions }: HubSpec): boolean =>
  schema?.openAPIV3Schema !== undefined || versions.every((version) => version.schema?.openAPIV3Schema !== undefined);

const hasUnknownType = ({ type = '' }: JsonSchemaProps): boolean => type !== '' && !openApiTypes.includes(type);

function* isNonStructural(schema: JsonSchemaProps, context: StructuralContext): Steps<boolean> {
  const problem = yield* context.facts.conversionProblem(schema);
  return problem !== undefined || (yield* structuralErrors(schema, '', context)).length > 0;
}

/** Returns whether the defaults of a stored schema have fields that it does not know. */
function* keepsUnknownDefaults(
  { preserveUnknownFields }: HubSpec,
  schema: JsonSchemaProps,
  context: StructuralContext,
): Steps<boolean> {
  if (!(yield* someSchema(schema, (part) => part.default !== undefined, context.work))) return false;
  if (preserveUnknownFields && (yield* isNonStructural(schema, context))) return false;
  return yield* hasUnprunedDefault(yield* context.facts.structural(schema), context.work);
}

function hasGranularItems(schema: JsonSchemaProps, names: SchemaExtensions): boolean {
  const items = schemaIn(schema.items);
  if (items === undefined || extensionsOf(schema, names).listType !== 'set') return false;
  const { listType, mapType } = extensionsOf(items, names);
  if (items.type === 'array') return listType !== undefined && listType !== 'atomic';
  return items.type === 'object' && mapType !== 'atomic';
}

/** Returns the names of the versions of which a part did not change. */
function unchangedVersions(
  spec: HubSpec,
  old: HubSpec,
  partOf: (spec: HubSpec, version: HubVersion) => object | undefined,
): ReadonlySet<string> {
  const olds = new Map(old.versions.map((version) => [version.name, version]));
  const unchanged = spec.versions.filter((version) => {
    const before = olds.get(version.name);
    return before !== undefined && isSame(partOf(spec, version), partOf(old, before));
  });
  return new Set(unchanged.map(({ name }) => name));
}

/** Returns the columns of a version: its own, or those of all versions. */
const columnsOfVersion = (spec: HubSpec, { additionalPrinterColumns: own }: HubVersion): readonly object[] =>
  own.length > 0 ? own : spec.additionalPrinterColumns;

const isSame = (one: object | undefined, other: object | undefined): boolean =>
  equalJson(one as JsonValue | undefined, other as JsonValue | undefined);
