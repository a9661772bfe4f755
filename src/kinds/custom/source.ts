import type { JsonSchemaProps } from '../../machinery/index.js';

/** The names of a custom kind. */
export interface CustomKindNames {
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly kind: string;
  readonly listKind?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
}

/** A column of the Table form. */
export interface CustomColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly jsonPath: string;
}

/** The paths of the fields that the `scale` subresource shows, such as `.spec.replicas`. */
export interface CustomScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

/** A version of a custom kind. */
export interface CustomKindVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps | undefined } | undefined;
  readonly subresources?:
    | {
        readonly status?: object | undefined;
        readonly scale?: CustomScale | undefined;
      }
    | undefined;
  readonly additionalPrinterColumns?: readonly CustomColumn[] | undefined;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

/** The facts from which a custom kind is made: the spec of a custom resource definition, valid and with defaults. */
export interface CustomKindSource {
  readonly group: string;
  readonly names: CustomKindNames;
  readonly scope: string;
  readonly versions: readonly CustomKindVersion[];
  /** Whether the definition is being deleted, so that no object may be created. */
  readonly terminating?: boolean | undefined;
}
