/**
 * The fields of a CustomResourceDefinition, as the server stores and returns them.
 *
 * Source: `apiextensions/v1` of Kubernetes 1.31.
 *
 * @module
 */
import type { JsonSchemaProps } from '../../../machinery/index.js';

/** The names of a custom kind. */
export interface CustomResourceDefinitionNames {
  /** Plural name in lower case, as in paths. */
  plural: string;
  /** Singular name in lower case. Default the kind in lower case. */
  singular?: string | undefined;
  shortNames?: string[] | undefined;
  /** Name of the kind in CamelCase. */
  kind: string;
  /** Name of the list kind. Default the kind and `List`. */
  listKind?: string | undefined;
  categories?: string[] | undefined;
}

/** The scale subresource: the fields that hold the numbers of replicas. */
export interface CustomResourceSubresourceScale {
  /** JSON path below `.spec`. */
  specReplicasPath: string;
  /** JSON path below `.status`. */
  statusReplicasPath: string;
  /** JSON path below `.spec` or `.status` of the text of a label selector. */
  labelSelectorPath?: string | undefined;
}

/** The subresources of a version. */
export interface CustomResourceSubresources {
  status?: object | undefined;
  scale?: CustomResourceSubresourceScale | undefined;
}

/** A column of the Table form. */
export interface CustomResourceColumnDefinition {
  name: string;
  /** `integer`, `number`, `string`, `boolean` or `date`. */
  type: string;
  format?: string | undefined;
  description?: string | undefined;
  /** 0 shows the column always; greater values only in wide output. */
  priority?: number | undefined;
  /** JSON path of the cell's value. */
  jsonPath: string;
}

/** A field that field selectors may use. */
export interface SelectableField {
  jsonPath: string;
}

/** The schema of a version. */
export interface CustomResourceValidation {
  openAPIV3Schema?: JsonSchemaProps | undefined;
}

/** A version of a custom kind. */
export interface CustomResourceDefinitionVersion {
  name: string;
  /** Whether the version is served. */
  served: boolean;
  /** Whether objects are stored in this version; true for exactly one version. */
  storage: boolean;
  /** Whether requests to this version get a warning. */
  deprecated?: boolean | undefined;
  /** Text of that warning. Default a text that names the version and the replacement. */
  deprecationWarning?: string | undefined;
  schema?: CustomResourceValidation | undefined;
  subresources?: CustomResourceSubresources | undefined;
  additionalPrinterColumns?: CustomResourceColumnDefinition[] | undefined;
  selectableFields?: SelectableField[] | undefined;
}

/** A service that a webhook is called through. */
export interface ServiceReference {
  namespace: string;
  name: string;
  /** Path of the request. */
  path?: string | undefined;
  /** Default 443. */
  port?: number | undefined;
}

/** The address of a webhook: a URL or a service. */
export interface WebhookClientConfig {
  url?: string | undefined;
  service?: ServiceReference | undefined;
  /** PEM certificates of the webhook's authority, in base64. */
  caBundle?: string | undefined;
}

/** A webhook that converts objects between versions. */
export interface WebhookConversion {
  clientConfig?: WebhookClientConfig | undefined;
  /** Versions of ConversionReview that the webhook accepts, in order of preference. */
  conversionReviewVersions: string[] | null;
}

/** How objects are converted between versions. */
export interface CustomResourceConversion {
  /** `None` changes only the apiVersion; `Webhook` calls the webhook. */
  strategy: string;
  webhook?: WebhookConversion | undefined;
}

/** The definition of a custom kind. */
export interface CustomResourceDefinitionSpec {
  group: string;
  names: CustomResourceDefinitionNames;
  /** `Namespaced` or `Cluster`. */
  scope: string;
  versions: CustomResourceDefinitionVersion[] | null;
  conversion?: CustomResourceConversion | undefined;
  preserveUnknownFields?: boolean | undefined;
}

/** A condition of a definition. */
export interface CustomResourceDefinitionCondition {
  /** `NamesAccepted`, `Established`, `Terminating` and others. */
  type: string;
  /** `True`, `False` or `Unknown`. */
  status: string;
  /** RFC 3339. */
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

/** The state of a definition. */
export interface CustomResourceDefinitionStatus {
  conditions?: CustomResourceDefinitionCondition[] | null | undefined;
  /** The names that are served. */
  acceptedNames: CustomResourceDefinitionNames;
  /** Versions in which objects may be stored. */
  storedVersions?: string[] | null | undefined;
}

/** The fields of a CustomResourceDefinition. */
export interface CustomResourceDefinitionFields {
  spec: CustomResourceDefinitionSpec;
  status: CustomResourceDefinitionStatus;
}
