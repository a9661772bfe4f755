/**
 * The form in which Kubernetes validates a definition: its internal version. Fields that all versions have in common
 * are part of the spec instead of each version, and so are the paths of errors.
 *
 * @module
 */
import { equalJson, type JsonValue } from '../../../foundation/index.js';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionFields,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
  WebhookClientConfig,
} from './types.js';

/** The fields that a version or the whole spec may have. */
export interface HubVersionFields {
  readonly schema: CustomResourceValidation | undefined;
  readonly subresources: CustomResourceSubresources | undefined;
  readonly additionalPrinterColumns: readonly CustomResourceColumnDefinition[];
  readonly selectableFields: readonly SelectableField[];
}

/** A version, without the fields that all versions have in common. */
export interface HubVersion extends HubVersionFields {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
}

/** The conversion, without the level `webhook`. */
export interface HubConversion {
  readonly strategy: string;
  readonly webhookClientConfig: WebhookClientConfig | undefined;
  readonly conversionReviewVersions: readonly string[];
}

/** The spec. Its own version fields are those that all versions have in common. */
export interface HubSpec extends HubVersionFields {
  readonly group: string;
  readonly names: CustomResourceDefinitionNames;
  readonly scope: string;
  /** Name of the first version; empty without versions. */
  readonly version: string;
  readonly versions: readonly HubVersion[];
  readonly conversion: HubConversion | undefined;
  readonly preserveUnknownFields: boolean;
}

/** A definition. */
export interface HubDefinition {
  readonly spec: HubSpec;
  readonly status: CustomResourceDefinitionStatus;
  readonly annotations: Readonly<Record<string, string>>;
}

const fieldsOf = (version: CustomResourceDefinitionVersion): HubVersionFields => ({
  schema: version.schema,
  subresources: version.subresources,
  additionalPrinterColumns: version.additionalPrinterColumns ?? [],
  selectableFields: version.selectableFields ?? [],
});

const NO_FIELDS: HubVersionFields = {
  schema: undefined,
  subresources: undefined,
  additionalPrinterColumns: [],
  selectableFields: [],
};

/** Compares two parts of a decoded object. */
const isSame = (one: unknown, other: unknown): boolean =>
  equalJson(one as JsonValue | undefined, other as JsonValue | undefined);

/** Returns the fields that all versions have in common. Selectable fields move only together with the schema. */
function commonFields(versions: readonly HubVersionFields[]): Partial<HubVersionFields> {
  const [first, ...others] = versions;
  if (first === undefined) return {};
  const isCommon = (name: keyof HubVersionFields): boolean => others.every((other) => isSame(other[name], first[name]));
  const hasCommonSchema = isCommon('schema');
  return {
    ...(hasCommonSchema ? { schema: first.schema } : {}),
    ...(isCommon('subresources') ? { subresources: first.subresources } : {}),
    ...(isCommon('additionalPrinterColumns') ? { additionalPrinterColumns: first.additionalPrinterColumns } : {}),
    ...(hasCommonSchema && isCommon('selectableFields') ? { selectableFields: first.selectableFields } : {}),
  };
}

/** Converts a decoded spec. */
export function hubSpec(spec: CustomResourceDefinitionSpec): HubSpec {
  const versions = spec.versions ?? [];
  const common = commonFields(versions.map(fieldsOf));
  const moved = Object.fromEntries(
    Object.keys(common).map((name) => [name, NO_FIELDS[name as keyof HubVersionFields]]),
  );
  const { conversion } = spec;
  return {
    group: spec.group,
    names: spec.names,
    scope: spec.scope,
    version: versions[0]?.name ?? '',
    versions: versions.map((version) => ({
      name: version.name,
      served: version.served,
      storage: version.storage,
      deprecated: version.deprecated ?? false,
      deprecationWarning: version.deprecationWarning,
      ...fieldsOf(version),
      ...moved,
    })),
    ...NO_FIELDS,
    ...common,
    conversion: conversion && {
      strategy: conversion.strategy,
      webhookClientConfig: conversion.webhook?.clientConfig,
      conversionReviewVersions: conversion.webhook?.conversionReviewVersions ?? [],
    },
    preserveUnknownFields: spec.preserveUnknownFields ?? false,
  };
}

/** Converts a decoded definition. */
export function hubDefinition({
  spec,
  status,
  metadata,
}: CustomResourceDefinitionFields & {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): HubDefinition {
  return { spec: hubSpec(spec), status, annotations: metadata.annotations ?? {} };
}

/** Returns the schema of a version: its own, or that of all versions; undefined when it has none. */
export const schemaOfVersion = (spec: HubSpec, version: HubVersion): CustomResourceValidation | undefined =>
  spec.schema ?? version.schema;
