/**
 * The rules that apply to a definition. Some rules are newer than the objects that they check: an update is excused from
 * a rule that the old state already broke.
 *
 * @module
 */
import { equalJson, type JsonValue } from '../../../meta/json.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../schema/json-schema.js';
import { structuralSchema } from '../../../schema/from-json-schema.js';
import { hasCondition } from '../conditions.js';
import { extensionsOf } from '../extensions.js';
import { schemaOfVersion, type HubDefinition, type HubSpec } from '../hub.js';
import { schemaIn, someSchema } from '../subschemas.js';
import { acceptedReviewVersions, caBundleErrors } from './conversion.js';
import { hasUnprunedDefault } from './defaults.js';
import { mapKeyErrors } from './list-types.js';
import { openApiTypes } from './open-api-schema.js';
import { conversionProblem, structuralErrors } from './structural.js';

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
  readonly unchangedVersions: readonly string[];
  /** Versions whose columns may exceed the bounds, since they did before. */
  readonly unchangedColumns: readonly string[];
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
  unchangedVersions: [],
  unchangedColumns: [],
};

const ESTABLISHED = 'Established';

/** Returns the rules for an update. */
export function requirementsOfUpdate(
  definition: HubDefinition,
  old: HubDefinition,
  names: SchemaExtensions,
): Requirements {
  const { spec } = old;
  const isEstablished = hasCondition(old.status.conditions, ESTABLISHED, 'True');
  const reviews = spec.conversion?.conversionReviewVersions ?? [];
  const caBundle = spec.conversion?.webhookClientConfig?.caBundle ?? '';
  return {
    knownReviewVersion: reviews.length === 0 || reviews.some((version) => acceptedReviewVersions.includes(version)),
    unchangedNames: isEstablished,
    schema: hasAllSchemas(spec),
    knownTypes: !anySchema(spec, (schema) => someSchema(schema, hasUnknownType)),
    // Without unknown fields every schema is structural.
    structural: !definition.spec.preserveUnknownFields || !anySchema(spec, (schema) => isNonStructural(schema, names)),
    prunedDefaults: !anySchema(
      spec,
      (schema) =>
        someSchema(schema, (part) => part.default !== undefined) &&
        !(spec.preserveUnknownFields && isNonStructural(schema, names)) &&
        hasUnprunedDefault(structuralSchema(schema, names)),
    ),
    atomicSetItems: !anySchema(spec, (schema) => someSchema(schema, (part) => hasGranularItems(part, names))),
    mapKeys: !anySchema(spec, (schema) =>
      someSchema(schema, (part) => mapKeyErrors(part, extensionsOf(part, names), '', names).length > 0),
    ),
    validCaBundle: isEstablished && (caBundle === '' || caBundleErrors('', caBundle).length === 0),
    unchangedVersions: unchangedVersions(definition.spec, spec, schemaOfVersion),
    unchangedColumns: unchangedVersions(definition.spec, spec, columnsOfVersion),
  };
}

/** Returns whether a condition holds for the common schema or that of any version. */
export function anySchema({ schema, versions }: HubSpec, condition: (schema: JsonSchemaProps) => boolean): boolean {
  return [schema, ...versions.map((version) => version.schema)].some(
    (validation) => validation?.openAPIV3Schema !== undefined && condition(validation.openAPIV3Schema),
  );
}

const hasAllSchemas = ({ schema, versions }: HubSpec): boolean =>
  schema?.openAPIV3Schema !== undefined || versions.every((version) => version.schema?.openAPIV3Schema !== undefined);

const hasUnknownType = ({ type = '' }: JsonSchemaProps): boolean => type !== '' && !openApiTypes.includes(type);

const isNonStructural = (schema: JsonSchemaProps, names: SchemaExtensions): boolean =>
  conversionProblem(schema, names) !== undefined || structuralErrors(schema, '', names).length > 0;

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
  partOf: (spec: HubSpec, name: string) => object | undefined,
): readonly string[] {
  const has = ({ versions }: HubSpec, name: string): boolean => versions.some((version) => version.name === name);
  return spec.versions
    .map(({ name }) => name)
    .filter((name) => has(old, name) && isSame(partOf(spec, name), partOf(old, name)));
}

/** Returns the columns of a version: its own, or those of all versions. */
function columnsOfVersion({ versions, additionalPrinterColumns }: HubSpec, name: string): readonly object[] {
  const own = versions.find((version) => version.name === name)?.additionalPrinterColumns ?? [];
  return own.length > 0 ? own : additionalPrinterColumns;
}

const isSame = (one: object | undefined, other: object | undefined): boolean =>
  equalJson(one as JsonValue | undefined, other as JsonValue | undefined);
