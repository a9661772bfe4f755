// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { JsonValue, ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

export type CustomResourceColumnDefinition = {
  name: string;
  type: string;
  format?: string | undefined;
  description?: string | undefined;
  priority?: number | undefined;
  jsonPath: string;
};

export type CustomResourceConversion = {
  strategy: string;
  webhook?: WebhookConversion | undefined;
};

/** CustomResourceDefinition of version v1 of the group apiextensions. */
export type CustomResourceDefinition = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: CustomResourceDefinitionSpec;
  status?: CustomResourceDefinitionStatus | undefined;
};

export type CustomResourceDefinitionCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** CustomResourceDefinitionList of version v1 of the group apiextensions. */
export type CustomResourceDefinitionList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: CustomResourceDefinition[];
};

export type CustomResourceDefinitionNames = {
  plural: string;
  singular?: string | undefined;
  shortNames?: string[] | undefined;
  kind: string;
  listKind?: string | undefined;
  categories?: string[] | undefined;
};

export type CustomResourceDefinitionSpec = {
  group: string;
  names: CustomResourceDefinitionNames;
  scope: string;
  versions: CustomResourceDefinitionVersion[];
  conversion?: CustomResourceConversion | undefined;
  preserveUnknownFields?: boolean | undefined;
};

export type CustomResourceDefinitionStatus = {
  conditions?: CustomResourceDefinitionCondition[] | null | undefined;
  acceptedNames?: CustomResourceDefinitionNames | undefined;
  storedVersions?: string[] | null | undefined;
};

export type CustomResourceDefinitionVersion = {
  name: string;
  served: boolean;
  storage: boolean;
  schema?: CustomResourceValidation | undefined;
  subresources?: CustomResourceSubresources | undefined;
  additionalPrinterColumns?: CustomResourceColumnDefinition[] | undefined;
  deprecated?: boolean | undefined;
  deprecationWarning?: string | undefined;
  selectableFields?: SelectableField[] | undefined;
};

export type CustomResourceSubresourceScale = {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string | undefined;
};

export type CustomResourceSubresourceStatus = object;

export type CustomResourceSubresources = {
  status?: CustomResourceSubresourceStatus | undefined;
  scale?: CustomResourceSubresourceScale | undefined;
};

export type CustomResourceValidation = {
  openAPIV3Schema?: JSONSchemaProps | undefined;
};

export type ExternalDocumentation = {
  description?: string | undefined;
  url?: string | undefined;
};

export type JSON = JsonValue;

export type JSONSchemaProps = {
  id?: string | undefined;
  $schema?: string | undefined;
  $ref?: string | undefined;
  description?: string | undefined;
  type?: string | undefined;
  format?: string | undefined;
  title?: string | undefined;
  default?: JSON | undefined;
  maximum?: number | undefined;
  exclusiveMaximum?: boolean | undefined;
  minimum?: number | undefined;
  exclusiveMinimum?: boolean | undefined;
  maxLength?: number | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
  maxItems?: number | undefined;
  minItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  multipleOf?: number | undefined;
  enum?: JSON[] | undefined;
  maxProperties?: number | undefined;
  minProperties?: number | undefined;
  required?: string[] | undefined;
  items?: JSONSchemaPropsOrArray | undefined;
  allOf?: JSONSchemaProps[] | undefined;
  oneOf?: JSONSchemaProps[] | undefined;
  anyOf?: JSONSchemaProps[] | undefined;
  not?: JSONSchemaProps | undefined;
  properties?: Record<string, JSONSchemaProps> | undefined;
  additionalProperties?: JSONSchemaPropsOrBool | undefined;
  patternProperties?: Record<string, JSONSchemaProps> | undefined;
  dependencies?: Record<string, JSONSchemaPropsOrStringArray> | undefined;
  additionalItems?: JSONSchemaPropsOrBool | undefined;
  definitions?: Record<string, JSONSchemaProps> | undefined;
  externalDocs?: ExternalDocumentation | undefined;
  example?: JSON | undefined;
  nullable?: boolean | undefined;
  'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  'x-kubernetes-embedded-resource'?: boolean | undefined;
  'x-kubernetes-int-or-string'?: boolean | undefined;
  'x-kubernetes-list-map-keys'?: string[] | undefined;
  'x-kubernetes-list-type'?: string | undefined;
  'x-kubernetes-map-type'?: string | undefined;
  'x-kubernetes-validations'?: ValidationRule[] | undefined;
};

export type JSONSchemaPropsOrArray = JSONSchemaProps | JSONSchemaProps[];

export type JSONSchemaPropsOrBool = JSONSchemaProps | boolean;

export type JSONSchemaPropsOrStringArray = JSONSchemaProps | string[];

export type SelectableField = {
  jsonPath: string;
};

export type ServiceReference = {
  namespace: string;
  name: string;
  path?: string | undefined;
  port?: number | undefined;
};

export type ValidationRule = {
  rule: string;
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: string | undefined;
  fieldPath?: string | undefined;
  optionalOldSelf?: boolean | undefined;
};

export type WebhookClientConfig = {
  service?: ServiceReference | undefined;
  caBundle?: string | undefined;
  url?: string | undefined;
};

export type WebhookConversion = {
  clientConfig?: WebhookClientConfig | undefined;
  conversionReviewVersions: string[];
};
